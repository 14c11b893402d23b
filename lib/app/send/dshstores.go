package send

import (
	"context"
	"os"
	"path/filepath"
	"strconv"
	"strings"

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

// lookIn looks for a message in every log that the session may have.
func lookIn(ctx context.Context, stores []store.Store, path, id, rpcID string) model.Sight {
	var paths []string
	if _, err := os.Stat(path); path != "" && err == nil {
		paths = append(paths, path)
	}
	for _, s := range stores {
		refs, _ := s.Lookup(ctx, id)
		for _, r := range refs {
			paths = append(paths, r.Path)
		}
	}
	best := model.Unreadable
	for _, p := range paths {
		switch model.LookInLog(ctx, p, rpcID) {
		case model.Seen:
			return model.Seen
		case model.Unseen:
			best = model.Unseen
		}
	}
	return best
}

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
