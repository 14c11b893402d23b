package inbox

import "os"

// sweep removes from tmp what dead writers have left. A file whose flock is free
// has no writer: a writer takes it at once and holds it to the end. Whatever goes
// wrong, the next sweep may do better.
func (q *queue) sweep() {
	files, err := q.list(tmpDir)
	if err != nil {
		return
	}
	for _, file := range files {
		f, err := q.openFile(tmpDir+"/"+file, os.O_RDONLY)
		if err != nil {
			continue
		}
		if held, err := tryFlock(f, false); err == nil && !held {
			_ = q.remove(tmpDir + "/" + file)
		}
		f.Close()
	}
}

// prune keeps Options.Keep finished records, those of the highest numbers. What
// it cannot remove now it finds again after the next.
func (h *held) prune() {
	names, err := h.names(doneDir)
	if err != nil {
		return
	}
	for i := 0; i < len(names)-h.box.o.Keep; i++ {
		_ = h.remove(names[i].path())
	}
}
