// Package stores is the --store flag: where the programs that read sessions find
// them. It is apart from lib/cli so that a program without it links no store.
package stores

import (
	"strings"

	urfave "github.com/urfave/cli/v2"

	"github.com/dsh-toolkit/dsh/lib/cli"
	"github.com/dsh-toolkit/dsh/lib/store"
	"github.com/dsh-toolkit/dsh/lib/store/known"
)

// Flag is --store.
func Flag() urfave.Flag {
	return &urfave.StringSliceFlag{
		Name:  "store",
		Usage: "read sessions in `SPEC`, PATH or KIND:PATH; repeatable (DSH_STORE; default: every known store)",
	}
}

// Open opens what --store names, else DSH_STORE (one SPEC a line), else every
// known store that exists.
func Open(c *cli.Call) (*store.Set, error) {
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
