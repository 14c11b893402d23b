package opencode

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/dsh-toolkit/dsh/lib/fault"
	"github.com/dsh-toolkit/dsh/lib/jstext"
	"github.com/dsh-toolkit/dsh/lib/store/jsonl"
)

// tree is one directory of JSON files.
type tree struct {
	root string // holds the directories session, message and part
	old  bool   // the layout of 2025: session/{info,message,part}
}

func (t tree) generation() generation {
	if t.old {
		return genOldFiles
	}
	return genFiles
}

// recordDirs are the directories that hold session records.
func (t tree) recordDirs() ([]string, error) {
	if t.old {
		return []string{filepath.Join(t.root, "session", "info")}, nil
	}
	base := filepath.Join(t.root, "session")
	entries, err := os.ReadDir(base)
	dirs := make([]string, 0, len(entries))
	for _, e := range entries {
		dirs = append(dirs, filepath.Join(base, e.Name()))
	}
	return dirs, err
}

func (t tree) messageDir(sid string) string {
	if t.old {
		return filepath.Join(t.root, "session", "message", sid)
	}
	return filepath.Join(t.root, "message", sid)
}

func (t tree) partDir(sid, mid string) string {
	if t.old {
		return filepath.Join(t.root, "session", "part", sid, mid)
	}
	return filepath.Join(t.root, "part", mid)
}

// records yields every session record; errors name one file or directory.
func (t tree) records(ctx context.Context, yield func(record, error) bool) bool {
	dirs, err := t.recordDirs()
	if err != nil && !errors.Is(err, fs.ErrNotExist) && !yield(record{}, jsonl.Unreadable(filepath.Join(t.root, "session"), err)) {
		return false
	}
	for _, dir := range dirs {
		names, err := jsonNames(dir)
		if err != nil && !isNoDir(dir, err) && !yield(record{}, jsonl.Unreadable(dir, err)) {
			return false
		}
		for _, name := range names {
			if ctx.Err() != nil {
				return yield(record{}, ctx.Err()) && false
			}
			if r, err := t.record(filepath.Join(dir, name)); !yield(r, err) {
				return false
			}
		}
	}
	return true
}

// isNoDir reports whether an error of reading dir only says that it is a plain file
// (or nothing), which OpenCode may put beside its directories.
func isNoDir(dir string, err error) bool {
	info, statErr := os.Stat(dir)
	if statErr == nil {
		return !info.IsDir()
	}
	_, linkErr := os.Lstat(dir)
	return errors.Is(err, fs.ErrNotExist) && linkErr != nil
}

// record reads one session record. The id is the file's name: the field may
// disagree after an import.
func (t tree) record(path string) (record, error) {
	var count tally
	v, err := readJSON(path, &count)
	if err != nil {
		return record{}, err
	}
	r := record{id: strings.TrimSuffix(filepath.Base(path), ".json"), gen: t.generation(), path: path}
	r.created, r.updated = millis(v.Get("time", "created")), millis(v.Get("time", "updated"))
	r.child = text(v.Get("parentID")) != ""
	r.title = titleOf(text(v.Get("title")))
	r.cwd = optional(text(v.Get("directory")))
	r.setRevert(v.Get("revert"))
	return r.complete(), nil
}

// find returns the paths of a session's records; several projects may hold one.
func (t tree) find(id string) []string {
	if !isFileName(id) {
		return nil
	}
	dirs, _ := t.recordDirs()
	var found []string
	for _, dir := range dirs {
		path := filepath.Join(dir, id+".json")
		if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() {
			found = append(found, path)
		}
	}
	return found
}

// isFileName reports whether an id can be a file's name and nothing more.
func isFileName(id string) bool {
	return id != "" && id == filepath.Base(id) && !strings.ContainsAny(id, "/\\\x00") && id != "." && id != ".."
}

// read reads a session whose record is at path.
func (t tree) read(ctx context.Context, path string, out *transcript) error {
	r, err := t.record(path)
	if err != nil {
		return err
	}
	out.record = r
	dir := t.messageDir(r.id)
	names, err := jsonNames(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		out.notes = append(out.notes, "no messages beside the session's record")
	case err != nil:
		return jsonl.Unreadable(dir, err)
	}
	messages := make([]message, 0, len(names))
	for _, name := range names {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		v, err := readJSON(filepath.Join(dir, name), &out.tally)
		if err != nil {
			out.skip(err)
			continue
		}
		messages = append(messages, newMessage(strings.TrimSuffix(name, ".json"), 0, v))
		if out.record.cwd == nil {
			out.record.cwd = optional(text(v.Get("path", "cwd")))
		}
	}
	return out.assemble(ctx, messages, &fileParts{tree: t, sid: r.id, out: out})
}

// title is a session's own title, else its first prompt.
func (t tree) title(ctx context.Context, path string) (*string, error) {
	r, err := t.record(path)
	if err != nil || r.title != nil {
		return r.title, err
	}
	dir := t.messageDir(r.id)
	names, err := jsonNames(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, jsonl.Unreadable(dir, err)
	}
	var out transcript
	src := &fileParts{tree: t, sid: r.id, out: &out}
	for _, name := range names[:min(len(names), maxPrompts)] {
		v, err := readJSON(filepath.Join(dir, name), &out.tally)
		m := newMessage(strings.TrimSuffix(name, ".json"), 0, v)
		if err != nil || m.role != "user" {
			continue
		}
		texts, err := src.texts(ctx, []string{m.id})
		if err != nil {
			return nil, err
		}
		if s := cmp.Or(joinParts(texts[m.id]), m.legacyText); s != "" {
			return &s, nil
		}
	}
	return nil, nil
}

// skip counts a record that could not be read and is passed over.
func (t *transcript) skip(err error) {
	t.damaged++
	if len(t.notes) < maxNotes {
		t.notes = append(t.notes, "passed over: "+err.Error())
	}
}

const maxNotes = 8 // a session of thousands of damaged files needs no more

// fileParts reads the parts of one session's messages from part files.
type fileParts struct {
	tree
	sid string
	out *transcript
}

// each reads the parts of one message in the order of their ids.
func (p *fileParts) each(ctx context.Context, mid string, use func(id string, v jstext.Value)) error {
	dir := p.partDir(p.sid, mid)
	names, err := jsonNames(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		p.out.skip(jsonl.Unreadable(dir, err))
	}
	for _, name := range names {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		v, err := readJSON(filepath.Join(dir, name), &p.out.tally)
		if err != nil {
			p.out.skip(err)
			continue
		}
		use(strings.TrimSuffix(name, ".json"), v)
	}
	return nil
}

func (p *fileParts) compactions(ctx context.Context, ids []string) (map[string]jstext.Value, error) {
	found := make(map[string]jstext.Value)
	for _, id := range ids {
		err := p.each(ctx, id, func(_ string, v jstext.Value) {
			if v.Get("type").Is("compaction") {
				found[id] = v
			}
		})
		if err != nil {
			return nil, err
		}
	}
	return found, nil
}

func (p *fileParts) texts(ctx context.Context, ids []string) (map[string][]part, error) {
	found := make(map[string][]part)
	for _, mid := range ids {
		err := p.each(ctx, mid, func(id string, v jstext.Value) {
			if v.Get("type").Is("text") {
				found[mid] = append(found[mid], newPart(id, v))
			}
		})
		if err != nil {
			return nil, err
		}
	}
	return found, nil
}

func (p *fileParts) bare(_ context.Context, ids []string) (map[string]bool, error) {
	found := make(map[string]bool)
	for _, id := range ids {
		names, _ := jsonNames(p.partDir(p.sid, id))
		found[id] = len(names) == 0
	}
	return found, nil
}

// jsonNames lists the JSON files of a directory, sorted by id: OpenCode's ids sort
// by time.
func jsonNames(dir string) ([]string, error) {
	entries, err := os.ReadDir(dir)
	names := make([]string, 0, len(entries))
	for _, e := range entries {
		if name := e.Name(); filepath.Ext(name) == ".json" && !e.IsDir() {
			names = append(names, name)
		}
	}
	slices.SortFunc(names, func(a, b string) int {
		return strings.Compare(strings.TrimSuffix(a, ".json"), strings.TrimSuffix(b, ".json"))
	})
	return names, err
}

const (
	// retryAfter is how long a half-written file is given to become whole.
	retryAfter = 20 * time.Millisecond
	// inWork is how lately a file must have been written to be given that time.
	inWork = 2 * time.Second
)

// readJSON reads one JSON object. OpenCode rewrites files in place, so one that is
// empty or half is read again once.
func readJSON(path string, count *tally) (jstext.Value, error) {
	for again := false; ; again = true {
		info, err := os.Stat(path) // opening a FIFO would wait for a writer
		if err == nil && !info.Mode().IsRegular() {
			err = errors.New("not a regular file")
		}
		var data []byte
		if err == nil {
			data, err = os.ReadFile(path)
		}
		if err != nil {
			return jstext.Value{}, jsonl.Unreadable(path, err)
		}
		v, err := jstext.Parse(jstext.Decode(data))
		if err == nil && v.Kind() == jstext.Object {
			count.add(data)
			return v, nil
		}
		if again || time.Since(info.ModTime()) > inWork {
			count.add(data)
			return jstext.Value{}, damagedFile(path, err)
		}
		time.Sleep(retryAfter)
	}
}

func damagedFile(path string, err error) error {
	return &fault.Error{
		Kind: fault.Damaged, Code: fault.ReadFailed, Rule: "damaged-record", Subject: fmt.Sprintf("%q", path),
		Message: "not a JSON object", Err: err,
	}
}
