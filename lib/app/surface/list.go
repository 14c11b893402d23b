package surface

import (
	"path/filepath"

	"github.com/dsh-toolkit/dsh/lib/app/stores"
	"github.com/dsh-toolkit/dsh/lib/cli"
	"github.com/dsh-toolkit/dsh/lib/jstext"
	"github.com/dsh-toolkit/dsh/lib/sessionuri"
	"github.com/dsh-toolkit/dsh/lib/store"
)

// list prints the sessions of all stores, newest first.
func list(c *cli.Call) error {
	set, err := stores.Open(c)
	if err != nil {
		return err
	}
	self, err := sessionuri.ParseID(c.SelfID("self"))
	if err != nil {
		return err
	}
	entries, failures := set.List(c.Ctx())
	if err := c.Ctx().Err(); err != nil {
		return err
	}
	for _, f := range failures {
		c.Note("%v", f)
	}
	ranking := store.Ranking{Query: c.String("query"), Self: self, Limit: c.Int("limit")}
	if dir := c.String("cwd"); dir != "" {
		if ranking.Cwd, err = filepath.Abs(dir); err != nil {
			return err
		}
	}
	entries = ranking.Apply(c.Ctx(), set, entries)
	if c.Sys.StdoutTTY {
		return table(c, entries)
	}
	var buf []byte
	for _, e := range entries {
		buf = append(appendEntry(buf[:0], e), '\n')
		if _, err := c.Out.Write(buf); err != nil {
			return err
		}
	}
	return nil
}

func appendEntry(dst []byte, e store.Entry) []byte {
	var w jstext.Writer
	w.BeginObject()
	w.Key("sessionId")
	w.Text(e.ID)
	w.Key("title")
	w.OptText(e.Title)
	w.Key("cwd")
	w.OptText(e.Cwd)
	w.Key("createdAt")
	w.Int(e.CreatedAt)
	w.Key("updatedAt")
	w.Int(e.UpdatedAt)
	w.Key("store")
	w.Text(e.Kind)
	w.Key("path")
	w.Text(e.Path)
	w.Key("mention")
	label := e.Label()
	w.Text(sessionuri.Mention(e.ID, &label))
	w.EndObject()
	return append(dst, w.Bytes()...)
}
