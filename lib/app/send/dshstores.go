package send

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/dsh-toolkit/dsh/lib/app/state"
	"github.com/dsh-toolkit/dsh/lib/cli"
	"github.com/dsh-toolkit/dsh/lib/fault"
	"github.com/dsh-toolkit/dsh/lib/model"
	"github.com/dsh-toolkit/dsh/lib/store"
	"github.com/dsh-toolkit/dsh/lib/store/dshlog"
)

// dshStores are the roots where dsh may keep sessions: those that --store or
// DSH_STORE name, and its own as far as they are there. Ours is none of them.
func dshStores(c *cli.Call) ([]store.Store, error) {
	specs := c.StringSlice("store")
	if len(specs) == 0 {
		specs = strings.Split(c.Sys.Getenv("DSH_STORE"), "\n")
	}
	env := c.Sys.StoreEnv()
	var out []store.Store
	for _, spec := range specs {
		path, isDsh := strings.CutPrefix(spec, store.DSH+":")
		if path == "" || !isDsh && !filepath.IsAbs(path) && strings.Contains(path, ":") {
			continue // of another kind
		}
		if ours(c, path) {
			continue
		}
		s, err := dshlog.Open(path, env)
		if err != nil {
			return nil, err
		}
		out = append(out, s)
	}
	for _, root := range dshlog.Format.Roots(env) {
		if ours(c, root) {
			continue
		}
		if s, err := dshlog.Open(root, env); err == nil {
			out = append(out, s)
		}
	}
	return out, nil
}

func ours(c *cli.Call, root string) bool {
	abs, err := filepath.Abs(root)
	return err == nil && state.IsSessions(c.Sys, abs)
}

// logOfOwnShell is the log of the session whose shell we run in, if that is the
// one.
func logOfOwnShell(c *cli.Call, id string) string {
	if c.Sys.Getenv("DSH_SESSION_ID") != id {
		return ""
	}
	return c.Sys.Getenv("DSH_SESSION_JSONL")
}

// logs looks for messages in every log that a session may have in dsh's stores.
type logs struct {
	c    *cli.Call
	last map[string]looked
}

// looked is what was found in a log that has not changed since.
type looked struct {
	rpcID    string
	size     int64
	modified time.Time
	sight    model.Sight
}

// look looks for one message. The stores are opened anew each time: dsh makes its root
// with its first session.
func (l *logs) look(ctx context.Context, id, rpcID string) model.Sight {
	stores, err := dshStores(l.c)
	if err != nil {
		return model.Sight{}
	}
	var best model.Sight
	if len(stores) == 0 && expectsRoot(l.c) {
		best.State = model.NoLog
	}
	var paths []string
	if own := logOfOwnShell(l.c, id); own != "" {
		paths = append(paths, own)
	}
	for _, s := range stores {
		refs, err := s.Lookup(ctx, id)
		if err == nil && len(refs) == 0 && best.State == model.Unreadable {
			best.State = model.NoLog
		}
		for _, r := range refs {
			paths = append(paths, r.Path)
		}
	}
	slices.Sort(paths)
	for i, p := range slices.Compact(paths) {
		s := l.lookIn(ctx, p, rpcID)
		if i == 0 || s.State > best.State {
			best = s // one that cannot be read is more than none in another store
		}
	}
	return best
}

// expectsRoot reports whether dsh has a home here in which it will make its root.
func expectsRoot(c *cli.Call) bool {
	return slices.ContainsFunc(dshlog.Format.Roots(c.Sys.StoreEnv()), func(root string) bool {
		if _, err := os.Stat(root); err == nil || ours(c, root) {
			return false
		}
		info, err := os.Stat(filepath.Dir(root))
		return err == nil && info.IsDir()
	})
}

// lookIn looks into one log, unless it is as it was at the last look.
func (l *logs) lookIn(ctx context.Context, path, rpcID string) model.Sight {
	info, err := os.Stat(path)
	if err != nil {
		return model.LookInLog(ctx, path, rpcID)
	}
	was, ok := l.last[path]
	if ok && was.rpcID == rpcID && was.size == info.Size() && was.modified.Equal(info.ModTime()) && time.Since(was.modified) > settled {
		return was.sight
	}
	s := model.LookInLog(ctx, path, rpcID)
	l.last[path] = looked{rpcID, info.Size(), info.ModTime(), s}
	return s
}

// settled is how old a change must be so that no later one can have the same time.
const settled = 2 * time.Second

// refuseForeign refuses to start a second session under the id of one of dsh's:
// only dsh may write to that one.
func refuseForeign(c *cli.Call, to string) error {
	stores, err := dshStores(c)
	if err != nil {
		return err
	}
	for _, s := range stores {
		refs, err := s.Lookup(c.Ctx(), to)
		if err != nil || len(refs) == 0 {
			continue
		}
		return &fault.Error{
			Kind: fault.Usage, Code: fault.UsageCode, Subject: "session " + fault.Quote(to),
			Message: "dsh's own, in " + strconv.Quote(refs[0].Path),
			Hint:    "deliver into the running dsh with --dsh, or choose another id",
		}
	}
	return nil
}
