package cli

import (
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/dsh-toolkit/dsh/lib/store"
	"github.com/dsh-toolkit/dsh/lib/store/known"
)

// StoreFlag is --store, for every program that reads sessions.
func StoreFlag() cli.Flag {
	return &cli.StringSliceFlag{
		Name:  "store",
		Usage: "read sessions in `SPEC`, PATH or KIND:PATH; repeatable (DSH_STORE; default: every known store)",
	}
}

// Stores opens what --store names, else DSH_STORE (one SPEC a line), else every
// known store that exists.
func (c *Call) Stores() (*store.Set, error) {
	specs := c.StringSlice("store")
	if len(specs) == 0 {
		for spec := range strings.Lines(c.Sys.Getenv("DSH_STORE")) {
			if spec = strings.TrimSuffix(spec, "\n"); spec != "" {
				specs = append(specs, spec)
			}
		}
	}
	return known.Open(specs, c.Sys.StoreEnv())
}

// SelfID is the flag's value, else the session that dsh's own shell says one is
// in (DSH_SESSION_ID), else empty.
func (c *Call) SelfID(flag string) string {
	if c.IsSet(flag) {
		return c.String(flag)
	}
	return c.Sys.Getenv("DSH_SESSION_ID")
}
