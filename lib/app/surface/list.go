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
	dir := c.String("cwd")
	ranking := store.Ranking{Query: c.String("query"), Self: self, Limit: c.Int("limit"), ByFit: dir == ""}
	if dir != "" {
		if ranking.Cwd, err = filepath.Abs(dir); err != nil {
			return err
		}
	}
	entries = ranking.Apply(c.Ctx(), set, entries)
	gone := goneDirs(c.Ctx(), entries)
	rows := make([]row, len(entries))
	for i, e := range entries {
		rows[i] = row{e, e.Cwd != nil && gone[*e.Cwd]}
	}
	if c.Sys.StdoutTTY {
		return table(c, rows)
	}
	var buf []byte
	for _, r := range rows {
		buf = append(r.appendJSON(buf[:0]), '\n')
		if _, err := c.Out.Write(buf); err != nil {
			return err
		}
	}
	return nil
}

// row is one entry of the listing that is printed.
type row struct {
	store.Entry
	cwdGone bool // its directory is no longer there
}

// appendJSON appends the row as one object. What most sessions have nothing to say
// of has no key in theirs. Text that is only to be shown is well-formed, with U+FFFD for
// half a surrogate pair; ids and the path are exact.
func (e row) appendJSON(dst []byte) []byte {
	var w jstext.Writer
	w.BeginObject()
	w.Key("sessionId")
	w.Text(e.ID)
	w.Key("title")
	w.OptText(wellFormed(e.Title))
	w.Key("cwd")
	w.OptText(wellFormed(e.Cwd))
	w.Key("createdAt")
	w.Int(e.CreatedAt)
	w.Key("updatedAt")
	w.Int(e.UpdatedAt)
	w.Key("store")
	w.Text(e.Kind)
	w.Key("path")
	w.Text(e.Path)
	w.Key("mention")
	label := jstext.ToUTF8(e.Label())
	w.Text(sessionuri.Mention(e.ID, &label))
	if e.CopiedFrom != "" {
		w.Key("copiedFrom")
		w.Text(e.CopiedFrom)
	}
	if len(e.OtherCwds) > 0 {
		w.Key("otherCwds")
		w.BeginArray()
		for _, dir := range e.OtherCwds {
			w.Text(jstext.ToUTF8(dir))
		}
		w.EndArray()
	}
	if e.cwdGone {
		w.Key("cwdGone")
		w.Bool(true)
	}
	if e.Archived {
		w.Key("archived")
		w.Bool(true)
	}
	w.EndObject()
	return append(dst, w.Bytes()...)
}

func wellFormed(s *string) *string {
	if s == nil {
		return nil
	}
	t := jstext.ToUTF8(*s)
	return &t
}
