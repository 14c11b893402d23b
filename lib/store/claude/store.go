package claude

import (
	"bytes"
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/dsh-toolkit/dsh/lib/session"
	"github.com/dsh-toolkit/dsh/lib/store"
	"github.com/dsh-toolkit/dsh/lib/store/jsonl"
)

// Kind is the kind of these stores, and the prefix of their ids.
const Kind = "claude"

// Format is the stores of Claude Code.
var Format = store.Format{
	Kind:      Kind,
	Roots:     roots,
	Open:      open,
	Recognise: recognise,
	ReadFile:  readFile,
}

// roots are $CLAUDE_CONFIG_DIR/projects, else ~/.claude/projects, the same on every
// system; ~/.config/claude/projects, where some installations keep theirs, comes
// last. The agent takes the variable as one directory. Other tools list several in
// it, with commas between: they are tried as well.
func roots(env store.Env) []string {
	var dirs []string
	if dir := env.Getenv("CLAUDE_CONFIG_DIR"); dir != "" {
		dirs = append(dirs, dir)
		if parts := strings.Split(dir, ","); len(parts) > 1 {
			dirs = append(dirs, parts...)
		}
	} else if env.Home != "" {
		dirs = []string{filepath.Join(env.Home, ".claude"), filepath.Join(env.Home, ".config", "claude")}
	}
	var out []string
	for _, dir := range dirs {
		if dir = strings.TrimSpace(dir); dir != "" {
			out = append(out, filepath.Join(dir, "projects"))
		}
	}
	return out
}

// claudeStore is one directory of projects.
type claudeStore struct{ root string }

// open opens a directory: that of the projects, one above it (~/.claude), or a
// single project's.
func open(root string, _ store.Env) (store.Store, error) {
	info, err := os.Stat(root)
	if err != nil {
		return nil, err
	}
	if !info.IsDir() {
		return nil, &fs.PathError{Op: "open", Path: root, Err: fmt.Errorf("not a directory")}
	}
	return &claudeStore{root}, nil
}

func (*claudeStore) Kind() string   { return Kind }
func (s *claudeStore) Root() string { return s.root }

func (s *claudeStore) Read(ctx context.Context, ref store.Ref, opts store.ReadOptions) (*store.Reading, error) {
	return readFile(ctx, ref.Path, opts)
}

// Lookup finds a session by its file's name. The same id in two projects is one
// session that has moved: the newest file is it. Files with other names, which the
// agent does not write, are looked into.
func (s *claudeStore) Lookup(ctx context.Context, id string) ([]store.Ref, error) {
	var found []file
	var failed error
	for f, err := range s.files() {
		if err != nil {
			failed = err
			continue
		}
		switch name := uuidOf(f.path); {
		case name == id && id != "":
			found = append(found, f)
		case name == "" && id != "" && !jsonl.IsUUID(id):
			if e, err := s.entry(f.path); err == nil && e.ID == Kind+":"+id {
				found = append(found, f)
			}
		}
		if err := ctx.Err(); err != nil {
			return nil, err
		}
	}
	if len(found) == 0 {
		return nil, failed
	}
	newest := slices.MaxFunc(found, func(a, b file) int { return a.modified().Compare(b.modified()) })
	return []store.Ref{{ID: Kind + ":" + id, Path: newest.path}}, nil
}

// recognise looks for an entry of the tree, or for a metadata line that no other
// agent writes.
func recognise(_ string, head []byte) bool {
	for rec := range form.Scan(head, recognised) {
		r := jsonl.Members(rec.Value)
		_, linked := r["parentUuid"]
		_, isEntry := kinds[r.Text("type")]
		switch {
		case r.Text("uuid") != "" && (linked || isEntry && r["message"].Exists()):
			return true
		case r.Text("sessionId") != "" && slices.Contains(metadataTypes, r.Text("type")):
			return true
		}
	}
	// An entry may be longer than what is looked at; it begins with its links.
	line, _, cut := bytes.Cut(head, []byte{'\n'})
	return !cut && bytes.Contains(line, []byte(`"parentUuid"`)) && bytes.Contains(line, []byte(`"sessionId"`))
}

var recognised = jsonl.Shape{"type": nil, "uuid": nil, "parentUuid": nil, "sessionId": nil, "message": {}}

var metadataTypes = []string{
	"custom-title", "ai-title", "last-prompt", "queue-operation", "mode", "permission-mode", "agent-name", "summary",
}

func hasCheckpoint(events []session.Event) bool {
	return len(events) > 0 && session.MessageOf(events[0]).Checkpoint()
}
