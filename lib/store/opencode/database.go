package opencode

import (
	"context"
	"database/sql"
	"errors"

	"github.com/dsh-toolkit/dsh/lib/jstext"
	"github.com/dsh-toolkit/dsh/lib/store/jsonl"
	"github.com/dsh-toolkit/dsh/lib/store/opencode/snapshot"
)

// database is one SQLite file.
type database struct{ path string }

// listColumns are those of a record, in the order of newRecord; readColumns has the
// revert too, which can hold a whole diff.
var (
	listColumns = []string{"id", "parent_id", "directory", "title", "time_created", "time_updated", "time_archived", "fork_session_id"}
	readColumns = append(listColumns[:len(listColumns):len(listColumns)], "revert")
)

func (d database) newRecord(gen generation, row []cell) record {
	r := record{
		id: row[0].text(), child: row[1].text() != "", cwd: optional(row[2].text()), title: titleOf(row[3].text()),
		created: row[4].millis(), updated: row[5].millis(), put: row[6].millis() > 0, fork: row[7].text(), gen: gen, path: d.path,
	}
	if len(row) > len(listColumns) {
		// A revert that does not parse is passed over: it only hides what is there.
		if v, err := jstext.Parse(row[len(listColumns)].text()); err == nil {
			r.setRevert(v)
		}
	}
	return r.complete()
}

// records lists the sessions, the preferred record of each. A record costs no more
// than its row: no message is looked at.
func (d database) records(ctx context.Context) (found []record, err error) {
	err = snapshot.View(ctx, d.path, func(c *sql.Conn) error {
		found = found[:0]
		s, err := readSchema(ctx, c)
		if err != nil {
			return err
		}
		for _, t := range s.sessionTables() {
			err := each(ctx, c, func(row []cell) error {
				if row[0].text() != "" {
					found = append(found, d.newRecord(t.gen, row))
				}
				return nil
			}, "select "+s.list(t.name, listColumns...)+" from "+t.name)
			if err != nil {
				return err
			}
		}
		return nil
	})
	return found, err
}

type sessionTable struct {
	name string
	gen  generation
}

// sessionTables are the tables with session records. A table session without a table
// message beside it is that of a beta of v2, which had not renamed it yet.
func (s schema) sessionTables() []sessionTable {
	var out []sessionTable
	if s.has("session_v2", "id") {
		out = append(out, sessionTable{"session_v2", genSQL2})
	}
	switch {
	case !s.has("session", "id"):
	case !s.has("message") && s.has("session_message"):
		out = append(out, sessionTable{"session", genSQL2})
	default:
		out = append(out, sessionTable{"session", genSQL1})
	}
	return out
}

// record looks one session up; ok is false where the database does not have it.
func (d database) record(ctx context.Context, id string) (r record, ok bool, err error) {
	err = d.view(ctx, id, func(_ rowReader, found record, has bool) error {
		r, ok = found, has
		return nil
	})
	return r, ok, err
}

// title is a session's own title, else its first prompt.
func (d database) title(ctx context.Context, id string) (title *string, err error) {
	err = d.view(ctx, id, func(r rowReader, found record, _ bool) error {
		if title = found.title; title != nil {
			return nil
		}
		var err error
		title, err = r.firstPrompt(ctx)
		return err
	})
	return title, err
}

// view runs use on one observation of the database, with the record of a session.
// use may run again.
func (d database) view(ctx context.Context, id string, use func(r rowReader, found record, ok bool) error) error {
	return snapshot.View(ctx, d.path, func(c *sql.Conn) error {
		s, err := readSchema(ctx, c)
		if err != nil {
			return err
		}
		found, ok, err := d.find(ctx, c, s, id)
		if err != nil {
			return err
		}
		return use(rowReader{conn: c, schema: s, id: id, t: &reading{}}, found, ok)
	})
}

func (d database) find(ctx context.Context, c *sql.Conn, s schema, id string) (r record, ok bool, err error) {
	for _, t := range s.sessionTables() {
		err := each(ctx, c, func(row []cell) error {
			r, ok = d.newRecord(t.gen, row), true
			return nil
		}, "select "+s.list(t.name, readColumns...)+" from "+t.name+" where id=?", id)
		if ok || err != nil {
			return r, ok, err
		}
	}
	return record{}, false, nil
}

var errGone = errors.New("no such session in the database")

// read reads one session, completed from its older copies. fresh makes the transcript
// that is filled; it is called again where the observation has to be repeated.
func (d database) read(ctx context.Context, id string, fresh func() *reading, copies []older) (t *reading, err error) {
	err = d.view(ctx, id, func(r rowReader, found record, ok bool) error {
		if !ok {
			return jsonl.Unreadable(d.path, errGone)
		}
		t = fresh()
		t.record, r.t = found, t
		if err := t.setLineage(ctx, d, r); err != nil {
			return err
		}
		return t.fromDatabase(ctx, r, copies)
	})
	return t, err
}

// rowReader reads the rows of one session into t.
type rowReader struct {
	conn   *sql.Conn
	schema schema
	id     string
	t      *reading
}

// fromDatabase chooses the tables. A session that v2 knows by name only, with its
// messages still in the tables of v1, was left so by an upgrade that stopped.
func (t *reading) fromDatabase(ctx context.Context, r rowReader, copies []older) error {
	two, err := r.holds(ctx, "session_message", "seq", "type")
	if err != nil {
		return err
	}
	one, err := r.holds(ctx, "message")
	switch {
	case err != nil:
		return err
	case two && (t.record.gen == genSQL2 || !one):
		t.record.gen = genSQL2
		return t.readV2(ctx, r)
	case one && t.record.gen == genSQL2:
		t.notes = append(t.notes, "the upgrade of this session stopped half way: its messages are read from the older tables")
		t.record.gen = genSQL1
	case !one && t.record.gen == genSQL2:
		return nil
	}
	return t.readV1(ctx, r, copies)
}

// maxForks bounds the way back to the session that the first fork was made of.
const maxForks = 32

// setLineage finds the session at the root of the forks that this one came from. A
// fork that cannot be followed further is as far as anybody knows.
func (t *reading) setLineage(ctx context.Context, d database, r rowReader) error {
	t.lineage = t.record.id
	for at, n := t.record, 0; at.fork != "" && n < maxForks; n++ {
		t.lineage = at.fork
		next, ok, err := d.find(ctx, r.conn, r.schema, at.fork)
		if err != nil || !ok {
			return err
		}
		at = next
	}
	return nil
}

// holds reports whether a table with these columns has a row of the session.
func (r rowReader) holds(ctx context.Context, table string, columns ...string) (found bool, err error) {
	if !r.schema.has(table, append(columns, "id", "session_id", "data")...) {
		return false, nil
	}
	err = each(ctx, r.conn, func([]cell) error { found = true; return nil },
		"select 1 from "+table+" where session_id=? limit 1", r.id)
	return found, err
}
