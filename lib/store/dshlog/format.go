package dshlog

import (
	"bytes"
	"context"
	"path/filepath"
	"strings"

	"github.com/dsh-toolkit/dsh/lib/jstext"
	"github.com/dsh-toolkit/dsh/lib/store"
	"github.com/dsh-toolkit/dsh/lib/store/dshlog/diskname"
	"github.com/dsh-toolkit/dsh/lib/store/dshlog/scan"
	"github.com/dsh-toolkit/dsh/lib/store/dshlog/zframe"
)

// Format is dsh's own format as the programs know it.
var Format = store.Format{
	Kind:      store.DSH,
	Roots:     roots,
	Open:      func(root string, env store.Env) (store.Store, error) { return Open(root, env) },
	Recognise: recognise,
	ReadFile: func(ctx context.Context, path string, opts store.ReadOptions) (*store.Reading, error) {
		return read(ctx, store.Ref{Path: path}, opts)
	},
}

// roots are where dsh keeps its sessions, and where this toolkit keeps those of its
// own agent.
func roots(env store.Env) []string {
	var out []string
	switch dir := env.Getenv("DSH_HOME"); {
	case dir != "":
		out = append(out, filepath.Join(dir, "sessions"))
	case env.Home != "":
		out = append(out, filepath.Join(env.Home, ".dsh", "sessions"))
	}
	state := env.Getenv("XDG_STATE_HOME")
	if !filepath.IsAbs(state) { // a relative one is to be ignored (XDG base directories)
		state = ""
		if env.Home != "" {
			state = filepath.Join(env.Home, ".local", "state")
		}
	}
	if state != "" {
		out = append(out, filepath.Join(state, "dsh-toolkit", "sessions"))
	}
	return out
}

// recognise reports whether a file is a dsh log: by its first line, which no other
// agent writes with these keys, or by a name that only dsh gives where that line
// cannot be read.
func recognise(name string, head []byte) bool {
	src := scan.Source{At: bytes.NewReader(head), Size: int64(len(head))}
	if _, _, err := scan.Header(src); err == nil {
		return true
	}
	if zframe.Is(head) {
		return strings.HasSuffix(name, diskname.ZstdExt)
	}
	if n, ok := diskname.Generation(name); ok && n > 0 {
		return true
	}
	line, _, _ := bytes.Cut(head, []byte("\n"))
	v, err := jstext.Parse(jstext.Decode(line))
	return err == nil && v.Get("type").Is("session") && v.Get("delegationDepth").Exists()
}
