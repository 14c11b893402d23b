package drive

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/dsh-toolkit/dsh/interop/model"
	"github.com/dsh-toolkit/dsh/interop/oracle"
)

// Ask sends a prompt, and holds the request for it against the session's log as it stood
// just before.
func (w *World) Ask(s Session, prompt string) error {
	id, err := s.ID()
	if err != nil {
		return err
	}
	before, err := w.Project(id)
	if err != nil {
		return err
	}
	mark := w.Model.Count()
	if err := s.Prompt(prompt); err != nil {
		return fmt.Errorf("prompt %q: %w", prompt, err)
	}
	request, items, err := w.requestFor(mark, prompt)
	if err != nil {
		return err
	}
	w.asks = append(w.asks, ask{w.Agent.Name, request.Path, prompt, before.Conversation, request.Body})
	if err := oracle.Compare(before.Conversation, w.Agent.Rules(items), prompt); err != nil {
		return fmt.Errorf("prompt %q: %w", prompt, err)
	}
	return nil
}

// RequestFor is the texts of the first request behind the first mark that is about the
// prompt: it offers tools, and its conversation ends with the prompt. Where none does,
// the first that offers tools is given, for Compare to say what is wrong with it.
func (w *World) RequestFor(mark int, prompt string) ([]oracle.Item, error) {
	_, items, err := w.requestFor(mark, prompt)
	return items, err
}

func (w *World) requestFor(mark int, prompt string) (found model.Request, items []oracle.Item, err error) {
	requests, _ := w.Model.Since(mark)
	for _, request := range requests {
		r, err := oracle.Read(request.Path, request.Body)
		if err != nil {
			return found, nil, err
		}
		if r.Tools == 0 {
			continue
		}
		if oracle.EndsWith(w.Agent.Rules(r.Items), prompt) {
			return request, r.Items, nil
		}
		if items == nil {
			found, items = request, r.Items
		}
	}
	if items == nil {
		return found, nil, fmt.Errorf("no request for the prompt %q among %d", prompt, len(requests))
	}
	return found, items, nil
}

// Asked waits for a request behind the first mark that offers tools and for which ok
// holds.
func (w *World) Asked(mark int, ok func(oracle.Request) bool) error {
	deadline := time.After(time.Minute)
	for {
		requests, arrived := w.Model.Since(mark)
		for _, request := range requests {
			r, err := oracle.Read(request.Path, request.Body)
			if err != nil {
				return err
			}
			if r.Tools > 0 && ok(r) {
				return nil
			}
		}
		select {
		case <-arrived:
		case <-deadline:
			return fmt.Errorf("the request that was waited for did not come within a minute; %d others did", len(requests))
		case <-w.ctx.Done():
			return w.ctx.Err()
		}
	}
}

// Settled waits until the model has nothing to answer and no file below these paths
// changes for three seconds: on a machine that is busy, a tool may take that long.
func (w *World) Settled(dirs ...string) error {
	const still, step = 3 * time.Second, 100 * time.Millisecond
	var last string
	since := time.Now()
	for deadline := time.Now().Add(time.Minute); time.Now().Before(deadline); time.Sleep(step) {
		if err := w.ctx.Err(); err != nil {
			return err
		}
		now := stamps(dirs)
		if now != last || w.Model.Busy() {
			last, since = now, time.Now()
		}
		if time.Since(since) >= still {
			return nil
		}
	}
	return errors.New("the agent did not come to rest within a minute")
}

// Follow waits until f holds, for a minute at the most.
func (w *World) Follow(what string, f func() (bool, error)) error {
	for deadline := time.Now().Add(time.Minute); time.Now().Before(deadline); time.Sleep(100 * time.Millisecond) {
		if err := w.ctx.Err(); err != nil {
			return err
		}
		if ok, err := f(); ok || err != nil {
			return err
		}
	}
	return fmt.Errorf("not within a minute: %s", what)
}

// Slowly is a prompt whose answer is held back.
func Slowly(text string) string { return text + " " + model.Slow }

// Written waits until a file below the directory holds the text.
func (w *World) Written(dir, text string) error {
	return w.Follow(fmt.Sprintf("%q is in a file below %s", text, dir), func() (bool, error) {
		found := false
		err := filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
			if err != nil || entry.IsDir() {
				return nil // it may have vanished meanwhile
			}
			data, _ := os.ReadFile(path)
			found = found || bytes.Contains(data, []byte(text))
			return nil
		})
		return found, err
	})
}
