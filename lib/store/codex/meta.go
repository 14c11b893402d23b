package codex

import (
	"cmp"
	"path/filepath"
	"slices"
	"strings"

	"github.com/dsh-toolkit/dsh/lib/jstext"
	"github.com/dsh-toolkit/dsh/lib/store/jsonl"
)

// meta is what the first line says of its thread. The same lines further on are
// its ancestors'.
type meta struct {
	id         string
	root       string // the oldest ancestor whose line is in the file
	bare       bool   // the lines are items themselves
	known      bool   // it is a first line of Codex
	created    int64
	cwd        *string
	cwds       []string // that later turns ran in
	forkedFrom string
	base       base
	ownFrom    int64 // the ordinal from which a subagent's own history begins
	subagent   bool
}

// base is where in an ancestor's rollout a fork begins; thread is empty for none.
type base struct {
	thread string
	end    limit
}

func parseMeta(o jsonl.Object) meta {
	if o["payload"].Kind() != jstext.Object {
		// The bare era: the session is the line, and has no type.
		id := o.Text("id")
		bare := id != "" && !o["type"].Exists() && o["timestamp"].Exists()
		return meta{id: id, root: id, bare: bare, known: bare, created: o.Millis("timestamp")}
	}
	p := o.Object("payload")
	m := meta{known: slices.Contains(lineTypes, o.Text("type")), created: o.Millis("timestamp")}
	if o.Text("type") != "session_meta" {
		return m
	}
	m.id, m.root = p.Text("id"), p.Text("id")
	if t := p.Millis("timestamp"); t > 0 {
		m.created = t
	}
	if cwd := p.Optional("cwd"); cwd != nil && *cwd != "" {
		m.cwd = cwd
	}
	m.forkedFrom = p.Text("forked_from_id")
	b := p.Object("history_base")
	m.base = base{b.Text("thread_id"), limit{optInt(b["end_ordinal_exclusive"]), optInt(b["end_byte_offset"])}}
	m.ownFrom, _ = p["subagent_history_start_ordinal"].Int()
	m.subagent = isSubagent(p)
	return m
}

var lineTypes = []string{
	"session_meta", "response_item", "event_msg", "compacted", "turn_context", "world_state", "token_usage_record",
}

// form is how the lines of the wrapped eras look. Those of the bare era cannot be told
// from the items inside of other lines.
var form = jsonl.Form{
	Shape: jsonl.Shape{"timestamp": nil, "type": nil, "payload": {}},
	Is: func(v jstext.Value) bool {
		typ, _ := v.Get("type").Text()
		return slices.Contains(lineTypes, typ) && v.Get("timestamp").Kind() == jstext.String && v.Get("payload").Kind() == jstext.Object
	},
}

func optInt(v jstext.Value) int64 {
	if n, ok := v.Int(); ok && n >= 0 {
		return n
	}
	return -1
}

// isSubagent reports whether a thread was started by another one, not by a person.
func isSubagent(p jsonl.Object) bool {
	if p["source"].Get("subagent").Exists() || p.Text("parent_thread_id") != "" {
		return true
	}
	for _, s := range []string{p.Text("thread_source"), p.Text("source")} {
		if strings.HasPrefix(s, "subagent") || strings.HasPrefix(s, "guardian") {
			return true
		}
	}
	return false
}

// environmentCwd is the directory that an environment_context names, which is the
// only place for it in the bare era.
func environmentCwd(content jstext.Value) *string {
	for _, p := range pieces(content) {
		if !strings.HasPrefix(strings.TrimSpace(p.text), "<environment_context>") {
			continue
		}
		if _, rest, ok := strings.Cut(p.text, "<cwd>"); ok {
			if cwd, _, ok := strings.Cut(rest, "</cwd>"); ok && strings.TrimSpace(cwd) != "" {
				cwd = strings.Clone(strings.TrimSpace(cwd))
				return &cwd
			}
		}
	}
	return nil
}

// own reports whether a line is the first line of the rollout of a thread, wherever in
// the file it stands: one that was cut off may have been written again behind it. The
// lines of ancestors that a fork repeats have other ids. Where the file's name tells no
// thread only the file's first records can be its own.
func own(rec jsonl.Record, o jsonl.Object, thread string) bool {
	if rec.Index == 0 {
		return true
	}
	return o.Text("type") == "session_meta" && (o.Object("payload").Text("id") == thread || thread == "" && rec.Index == 1)
}

// rolloutName takes a file's name apart. The thread is empty for a name that the
// agent does not write; ok is false for a file that is no rollout at all.
func rolloutName(path string) (thread string, ok bool) {
	thread, _, ok = rolloutNames(path)
	return thread, ok
}

// rolloutNames gives the rollout's own id too, by which forks name what they begin with:
// the thread's, but for a rollout that a revert has begun.
func rolloutNames(path string) (thread, segment string, ok bool) {
	name := strings.TrimSuffix(filepath.Base(path), ".zst")
	name, isLines := strings.CutSuffix(name, ".jsonl")
	rest, isRollout := strings.CutPrefix(name, "rollout-")
	if !isLines || !isRollout {
		return "", "", false
	}
	const stamp = len("2006-01-02T15-04-05-")
	if len(rest) < stamp {
		return "", "", true
	}
	// Since 0.157 a revert may write a new rollout, <thread>_<rollout>.
	thread, second, two := strings.Cut(rest[stamp:], "_")
	if !jsonl.IsUUID(thread) || two && !jsonl.IsUUID(second) {
		return "", "", true
	}
	return thread, cmp.Or(second, thread), true
}
