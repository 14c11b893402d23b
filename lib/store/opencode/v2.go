package opencode

import (
	"context"
	"math"

	"github.com/dsh-toolkit/dsh/lib/jstext"
	"github.com/dsh-toolkit/dsh/lib/store/transcript"
)

// readV2 reads a session from the table session_message, whose rows are ordered by
// seq, an event number with gaps.
//
// The rules are those of history.ts, revert.ts and projector.ts of 2.0, as described.
func (t *reading) readV2(ctx context.Context, r rowReader) error {
	err := each(ctx, r.conn, func(row []cell) error {
		if n, ok := row[0].int(); ok {
			t.last = n
		}
		return nil
	}, "select max(seq) from session_message where session_id=?", r.id)
	if err != nil {
		return err
	}
	end, err := t.revertedFrom(ctx, r)
	if err != nil {
		return err
	}
	start, err := t.latestCompaction(ctx, r, end)
	if err != nil {
		return err
	}
	return each(ctx, r.conn, func(row []cell) error {
		seq, ok := row[0].int()
		v, sound := t.parse(row[3].bytes())
		if !ok || !sound {
			return nil
		}
		if row[1].text() == "user" {
			t.User(seq, row[2].millis(), text(v.Get("text")))
			return nil
		}
		t.answer(seq, row[2].millis(), v)
		return nil
	}, "select seq, type, "+r.schema.list("session_message", "time_created")+", "+shortV2+` from session_message
		where session_id=? and type in ('user','assistant') and seq>=? and seq<? order by seq`, r.id, start, end)
}

// shortV2 is a row's data. Where that is long, SQLite takes out what is not wanted:
// the tools' outputs of an answer, the files of a prompt. It keeps strings as they
// are spelled, escapes included.
const shortV2 = `case when octet_length(data)<=` + longRecord + ` or not json_valid(data) then data
	when type='user' then json_remove(data,'$.files')
	else json_object('error',data->'$.error','time',data->'$.time','model',data->'$.model','content',
		json((select json_group_array(json_object('type','text','text',value->'$.text'))
			from json_each(data,'$.content') where type='object' and value->>'$.type'='text')))
	end`

// longRecord is the size, in bytes, from which on a record is cut down by SQLite.
const longRecord = "65536"

// answer adds an assistant row: one that is completed, without an error. A row that
// never completed has been superseded by a newer one, or is being written.
func (t *reading) answer(seq, time int64, v jstext.Value) {
	if present(v.Get("error")) || !present(v.Get("time", "completed")) {
		return
	}
	model := v.Get("model")
	t.Assistant(seq, time, transcript.Join(answerTexts(v)), text(model.Get("providerID")), text(model.Get("id")))
}

func answerTexts(v jstext.Value) (texts []string) {
	for block := range v.Get("content").Elements() {
		if block.Get("type").Is("text") {
			texts = append(texts, text(block.Get("text")))
		}
	}
	return texts
}

// revertedFrom is the seq from which on a pending revert hides the rows.
func (t *reading) revertedFrom(ctx context.Context, r rowReader) (int64, error) {
	end := int64(math.MaxInt64)
	if t.record.revertMessage == "" {
		return end, nil
	}
	err := each(ctx, r.conn, func(row []cell) error {
		if n, ok := row[0].int(); ok {
			end, t.reverted = n, true
		}
		return nil
	}, "select seq from session_message where session_id=? and id=?", r.id, t.record.revertMessage)
	if !t.reverted && err == nil {
		t.notes = append(t.notes, "a pending revert names a message that is not there: it hides nothing")
	}
	return end, err
}

// latestCompaction adds the newest completed compaction before end as the checkpoint
// and returns its seq, the start of what is visible: 0 seqs are the lowest. One that
// only a provider can read is passed over, as OpenCode does without that provider:
// then an older one counts, or everything.
func (t *reading) latestCompaction(ctx context.Context, r rowReader, end int64) (int64, error) {
	start := int64(math.MinInt64)
	opaque := 0
	err := each(ctx, r.conn, func(row []cell) error {
		seq, ok := row[0].int()
		if !ok || t.compact {
			return nil
		}
		v, ok := t.parse(row[2].bytes())
		switch {
		case !ok || !v.Get("status").Is("completed"):
		case present(v.Get("providerContext")):
			opaque++
		default:
			start = seq
			t.checkpoint(seq, row[1].millis(), transcript.Join([]string{text(v.Get("summary")), text(v.Get("recent"))}))
		}
		return nil
	}, "select seq, "+r.schema.list("session_message", "time_created")+`, data from session_message
		where session_id=? and type='compaction' and seq<? order by seq desc`, r.id, end)
	if opaque > 0 {
		t.notes = append(t.notes, "the latest compaction can be read by its provider only: the messages before it are shown instead")
	}
	return start, err
}
