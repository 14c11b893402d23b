package opencode

import (
	"context"
	"slices"
	"strings"

	"github.com/dsh-toolkit/dsh/lib/jstext"
	"github.com/dsh-toolkit/dsh/lib/store/transcript"
)

// readV1 reads a session from the tables message and part.
func (t *reading) readV1(ctx context.Context, r rowReader, copies []older) error {
	var messages []message
	if !r.schema.has("message", "id", "session_id", "data") {
		return t.assemble(ctx, messages, r, copies)
	}
	err := each(ctx, r.conn, func(row []cell) error {
		v, ok := t.look(row[2].bytes())
		if !ok {
			t.lose(messageKey(row[0].text()))
			return nil
		}
		messages = append(messages, newMessage(row[0].text(), row[1].millis(), v))
		if t.record.cwd == nil {
			t.record.cwd = optional(text(v.Get("path", "cwd")))
		}
		return nil
	}, "select "+r.schema.list("message", "id", "time_created")+`, case when octet_length(data)<=`+longRecord+`
		or not json_valid(data) then data else json_remove(data,'$.summary.diffs') end from message where session_id=?`, r.id)
	if err != nil {
		return err
	}
	return t.assemble(ctx, messages, r, copies)
}

// parts hands on the parts of one type, and those whose type SQLite cannot tell, in no
// order: of one message, or with mid empty of the whole session. The filter is
// SQLite's, so that tool output, nearly all of the table, stays there. The way leads
// over the messages because every version has an index for it.
func (r rowReader) parts(ctx context.Context, typ, mid string, use func(id, mid string, v jstext.Value)) error {
	if !r.hasParts() {
		return nil
	}
	query, args := `select p.id, m.id, p.data from message m join part p on p.message_id=m.id where m.session_id=?
		and case when json_valid(p.data) then json_extract(p.data,'$.type')=? else 1 end`, []any{r.id, typ}
	if mid != "" {
		query, args = query+" and m.id=?", append(args, mid)
	}
	return each(ctx, r.conn, func(row []cell) error {
		v, ok := r.t.look(row[2].bytes())
		if !ok {
			r.t.lose(partKey(row[0].text()))
		} else if v.Get("type").Is(typ) {
			use(row[0].text(), row[1].text(), v)
		}
		return nil
	}, query, args...)
}

// hasParts reports whether the tables have parts of messages.
func (r rowReader) hasParts() bool {
	return r.schema.has("message", "id", "session_id") && r.schema.has("part", "id", "message_id", "data")
}

// maxPrompts bounds the search for a first prompt: a session that has none among so
// many user messages goes by its id.
const maxPrompts = 20

// firstPrompt is what stands in for a title: the first text that a person typed, nil
// for none.
func (r rowReader) firstPrompt(ctx context.Context) (*string, error) {
	if two, err := r.holds(ctx, "session_message", "seq", "type"); two || err != nil {
		return r.firstPromptV2(ctx)
	}
	if one, err := r.holds(ctx, "message"); !one || err != nil {
		return nil, err
	}
	var ids []string
	err := each(ctx, r.conn, func(row []cell) error {
		ids = append(ids, row[0].text())
		return nil
	}, "select id, "+r.schema.list("message", "time_created")+` as t from message where session_id=?
		and case when json_valid(data) then json_extract(data,'$.role') end = 'user' order by t, id limit ?`, r.id, maxPrompts)
	if err != nil {
		return nil, err
	}
	var o transcript.Opening
	for _, mid := range ids {
		said, err := r.textOf(ctx, mid)
		if err != nil {
			return nil, err
		}
		if o.Prompt(said, false); o.Done() {
			return o.Title(), nil
		}
	}
	for _, mid := range ids {
		shows := false
		err := r.fileParts(ctx, mid, func() { shows = true })
		if err != nil {
			return nil, err
		}
		if shows {
			o.Prompt("", true)
			said, err := r.firstAnswer(ctx)
			o.Answer(said)
			return o.Title(), err
		}
	}
	return nil, nil
}

// textOf is the text of one message.
func (r rowReader) textOf(ctx context.Context, mid string) (string, error) {
	var parts []part
	err := r.parts(ctx, "text", mid, func(id, _ string, v jstext.Value) { parts = append(parts, newPart(id, v)) })
	sortParts(parts)
	return joinParts(parts), err
}

// fileParts calls use for each picture or file of a message. Their data stays where it
// is.
func (r rowReader) fileParts(ctx context.Context, mid string, use func()) error {
	if !r.hasParts() {
		return nil
	}
	return each(ctx, r.conn, func([]cell) error {
		use()
		return nil
	}, "select id from part where message_id=? and case when json_valid(data) then json_extract(data,'$.type') end = 'file'", mid)
}

// firstAnswer is the text of the first answer that has one.
func (r rowReader) firstAnswer(ctx context.Context) (string, error) {
	var ids []string
	err := each(ctx, r.conn, func(row []cell) error {
		ids = append(ids, row[0].text())
		return nil
	}, "select id, "+r.schema.list("message", "time_created")+` as t from message where session_id=?
		and case when json_valid(data) then json_extract(data,'$.role') end = 'assistant' order by t, id limit ?`, r.id, maxPrompts)
	if err != nil {
		return "", err
	}
	for _, mid := range ids {
		if said, err := r.textOf(ctx, mid); said != "" || err != nil {
			return said, err
		}
	}
	return "", nil
}

func (r rowReader) firstPromptV2(ctx context.Context) (*string, error) {
	var o transcript.Opening
	err := each(ctx, r.conn, func(row []cell) error {
		v, ok := r.t.parse(row[1].bytes())
		switch {
		case !ok || o.Done():
		case row[0].text() == "user":
			said := text(v.Get("text"))
			files, _ := row[2].int()
			o.Prompt(said, said == "" && files > 0)
		default:
			o.Answer(transcript.Join(answerTexts(v)))
		}
		return nil
	}, "select type, "+shortV2+`, case when json_valid(data) then json_array_length(data,'$.files') end
		from session_message where session_id=? and type in ('user','assistant') order by seq limit ?`, r.id, 2*maxPrompts)
	return o.Title(), err
}

func (r rowReader) compactions(ctx context.Context, ids []string) (map[string]jstext.Value, error) {
	wanted, found := set(ids), make(map[string]jstext.Value)
	err := r.parts(ctx, "compaction", "", func(_, mid string, v jstext.Value) {
		if wanted[mid] {
			found[mid] = v
		}
	})
	return found, err
}

func (r rowReader) texts(ctx context.Context, ids []string) (map[string][]part, error) {
	wanted, found := set(ids), make(map[string][]part)
	err := r.parts(ctx, "text", "", func(id, mid string, v jstext.Value) {
		if wanted[mid] {
			found[mid] = append(found[mid], newPart(id, v))
		}
	})
	for _, parts := range found {
		sortParts(parts)
	}
	return found, err
}

func (r rowReader) bare(ctx context.Context, ids []string) (map[string]bool, error) {
	found := set(ids)
	if !r.hasParts() {
		return found, nil
	}
	err := each(ctx, r.conn, func(row []cell) error {
		delete(found, row[0].text())
		return nil
	}, "select m.id from message m join part p on p.message_id=m.id where m.session_id=? group by m.id", r.id)
	return found, err
}

func (r rowReader) known(ctx context.Context, ids []string) (map[string]map[string]bool, error) {
	found := make(map[string]map[string]bool, len(ids))
	for _, id := range ids {
		found[id] = make(map[string]bool)
	}
	if !r.hasParts() {
		return found, nil
	}
	query, args := "select m.id, p.id from message m join part p on p.message_id=m.id where m.session_id=?", []any{r.id}
	if len(ids) == 1 {
		query, args = query+" and m.id=?", append(args, ids[0])
	}
	return found, each(ctx, r.conn, func(row []cell) error {
		if parts := found[row[0].text()]; parts != nil {
			parts[row[1].text()] = true
		}
		return nil
	}, query, args...)
}

func set(ids []string) map[string]bool {
	s := make(map[string]bool, len(ids))
	for _, id := range ids {
		s[id] = true
	}
	return s
}

func sortParts(parts []part) {
	slices.SortStableFunc(parts, func(a, b part) int { return strings.Compare(a.id, b.id) })
}
