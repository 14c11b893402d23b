package opencode

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/dsh-toolkit/dsh/lib/fault"
	"github.com/dsh-toolkit/dsh/lib/jstext"
	"github.com/dsh-toolkit/dsh/lib/store/jsonl"
	"github.com/dsh-toolkit/dsh/lib/store/transcript"
)

// What is kept of each kind of file: of a tool's output, for one, nothing.
var (
	recordShape = jsonl.Shape{
		"id": nil, "parentID": nil, "title": nil, "directory": nil, "time": nil, "revert": {"messageID": nil, "partID": nil},
	}
	messageShape = jsonl.Shape{
		"role": nil, "parentID": nil, "time": nil, "finish": nil, "error": {"name": nil}, "summary": {"title": nil, "body": nil},
		"providerID": nil, "modelID": nil, "path": {"cwd": nil},
	}
	partShape = jsonl.Shape{"type": nil, "text": nil, "synthetic": nil, "ignored": nil, "tail_start_id": nil, "time": {"end": nil}}
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
			if r, err := t.record(ctx, filepath.Join(dir, name)); !yield(r, err) {
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
// disagree after an import. With an error there are only the id and the place.
func (t tree) record(ctx context.Context, path string) (record, error) {
	r := record{gen: t.generation(), path: path}
	name, ok := strings.CutSuffix(filepath.Base(path), ".json")
	r.id = name
	v, err := readJSON(ctx, path, recordShape, &tally{})
	if err != nil {
		return r, err
	}
	if !ok { // a copy of a pipe has no name of its own
		r.id = cmp.Or(text(v.Get("id")), name)
	}
	r.created, r.updated = millis(v.Get("time", "created")), millis(v.Get("time", "updated"))
	r.put = millis(v.Get("time", "archived")) > 0
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

// read reads a session whose record is at path, completed from its older copies.
func (t tree) read(ctx context.Context, path string, out *reading, copies func(id string) []older) error {
	r, recordErr := t.record(ctx, path)
	if recordErr != nil && (ctx.Err() != nil || fault.KindOf(recordErr) != fault.Damaged) {
		return recordErr
	}
	dir := t.messageDir(r.id)
	names, err := jsonNames(dir)
	if recordErr != nil {
		// The messages do without the record; a file that has none is no session.
		if len(names) == 0 {
			return recordErr
		}
		out.skip(recordErr)
	}
	out.record = r
	switch {
	case errors.Is(err, fs.ErrNotExist):
		out.notes = append(out.notes, "no messages beside the session's record")
	case err != nil:
		return jsonl.Unreadable(dir, err)
	}
	messages, err := out.readMessages(ctx, dir, names, nil)
	if err != nil {
		return err
	}
	return out.assemble(ctx, messages, &fileParts{tree: t, sid: r.id, out: out}, copies(r.id))
}

// title is a session's own title, else its first prompt.
func (t tree) title(ctx context.Context, path string) (*string, error) {
	r, err := t.record(ctx, path)
	if err != nil || r.title != nil {
		return r.title, err
	}
	dir := t.messageDir(r.id)
	names, err := jsonNames(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, jsonl.Unreadable(dir, err)
	}
	var out reading
	src := &fileParts{tree: t, sid: r.id, out: &out}
	var o transcript.Opening
	for _, name := range names[:min(len(names), maxPrompts)] {
		v, err := readJSON(ctx, filepath.Join(dir, name), messageShape, &out.tally)
		m := newMessage(strings.TrimSuffix(name, ".json"), 0, v)
		if err != nil || m.role != "user" && m.role != "assistant" {
			continue
		}
		texts, err := src.texts(ctx, []string{m.id})
		if err != nil {
			return nil, err
		}
		said := cmp.Or(joinParts(texts[m.id]), m.legacyText)
		if m.role == "assistant" {
			o.Answer(said)
			continue
		}
		shows := false
		if said == "" {
			err = src.each(ctx, m.id, nil, func(_ string, v jstext.Value) { shows = shows || v.Get("type").Is("file") })
			if err != nil {
				return nil, err
			}
		}
		if o.Prompt(said, shows); o.Done() {
			break
		}
	}
	return o.Title(), nil
}
