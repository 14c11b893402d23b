package claude

import (
	"bytes"
	"cmp"
	"context"
	"iter"
	"strings"

	"github.com/dsh-toolkit/dsh/lib/fault"
	"github.com/dsh-toolkit/dsh/lib/jstext"
	"github.com/dsh-toolkit/dsh/lib/store"
	"github.com/dsh-toolkit/dsh/lib/store/jsonl"
	"github.com/dsh-toolkit/dsh/lib/store/transcript"
)

// listed is an entry with what its relations are found by.
type listed struct {
	store.Entry
	lineage    string
	forkedFrom string // another session's id that it names itself
	background bool
	err        error
}

// List looks at the head and the tail of each file, several at a time.
func (s *claudeStore) List(ctx context.Context) iter.Seq2[store.Entry, error] {
	return func(yield func(store.Entry, error) bool) {
		var files []file
		for f, err := range s.files() {
			if err == nil {
				err = ctx.Err()
			}
			if err != nil && !yield(store.Entry{}, err) {
				return
			}
			if ctx.Err() != nil {
				return
			}
			if err == nil && f.regular {
				files = append(files, f)
			}
		}
		all := jsonl.Each(ctx, files, func(f file) listed {
			e, err := s.entry(f.path)
			e.err = err
			return e
		})
		if err := ctx.Err(); err != nil {
			yield(store.Entry{}, fault.Of(err))
			return
		}
		for _, e := range related(newestOfEach(all)) {
			if !yield(e.Entry, e.err) {
				return
			}
		}
	}
}

// newestOfEach drops what is no session, and of several files with one id all but
// the newest: a session that has moved between projects.
func newestOfEach(all []listed) []listed {
	at := make(map[string]int)
	var out []listed
	for _, e := range all {
		switch i, ok := at[e.ID]; {
		case e.err != nil:
			out = append(out, listed{err: e.err})
		case e.ID == "":
		case !ok:
			at[e.ID] = len(out)
			out = append(out, e)
		case e.UpdatedAt > out[i].UpdatedAt:
			out[i] = e
		}
	}
	return out
}

// related says which sessions began as copies of others: they name their source,
// or share its first prompt.
func related(all []listed) []listed {
	origin := make(map[string]listed) // by lineage: the one that the others were copied from
	for _, e := range all {
		if o, ok := origin[e.lineage]; e.lineage != "" && (!ok || e.older(o)) {
			origin[e.lineage] = e
		}
	}
	for i := range all {
		e := &all[i]
		switch o, ok := origin[e.lineage]; {
		case e.forkedFrom != "" && Kind+":"+e.forkedFrom != e.ID:
			e.CopiedFrom = Kind + ":" + e.forkedFrom
		case ok && o.ID != e.ID:
			e.CopiedFrom = o.ID
		}
	}
	return all
}

// older reports whether e is rather the original than o.
func (e listed) older(o listed) bool {
	if e.background != o.background {
		return o.background
	}
	if fork := e.forkedFrom != ""; fork != (o.forkedFrom != "") {
		return !fork
	}
	return cmp.Or(cmp.Compare(e.UpdatedAt, o.UpdatedAt), cmp.Compare(e.ID, o.ID)) < 0
}

// Title is the title of the listing; List has looked it up already.
func (s *claudeStore) Title(_ context.Context, e store.Entry) (*string, error) {
	if e.Title != nil {
		return e.Title, nil
	}
	now, err := s.entry(e.Path)
	return now.Title, err
}

// deepPeek is how far a listing reads into a file whose first prompt is behind
// more than jsonl.PeekSize: an image in it, say.
const deepPeek = 16 << 20

// entry is what the head and the tail of a file tell; its ID is empty where the
// file is no session to be listed: a subagent's, or one with neither a title nor a
// prompt.
func (s *claudeStore) entry(path string) (listed, error) {
	p, err := jsonl.ReadPeek(path)
	if err != nil {
		return listed{}, err
	}
	defer p.Release()
	g := glance{first: true}
	for line := range jsonl.Lines(p.Head) {
		if g.matters(line) || !g.done() {
			g.take(line, g.head)
		}
	}
	if g.sidechain {
		return listed{}, nil
	}
	if !p.Whole {
		for line := range jsonl.Lines(p.Tail) {
			if g.matters(line) {
				g.take(line, g.anywhere)
			}
		}
		if g.prompt == "" && g.ownTitle() == "" {
			g.deep(path)
		}
	}
	title := g.listTitle(p, path)
	id := g.id(path)
	if title == nil && !g.spoken || id == "" {
		return listed{}, nil
	}
	return listed{
		Entry: store.Entry{
			ID: Kind + ":" + id, Title: title, Cwd: g.cwds.current(), OtherCwds: g.cwds.others(),
			CreatedAt: cmp.Or(g.created, p.ModTime.UnixMilli()), UpdatedAt: p.ModTime.UnixMilli(),
			Kind: Kind, Path: path, Root: s.root,
		},
		lineage: g.lineage, forkedFrom: g.forkedFrom, background: g.background,
	}, nil
}

// glance gathers what a listing shows.
type glance struct {
	first      bool // no record yet
	sidechain  bool // the first record is a sidechain's
	sessionID  string
	created    int64
	cwds       dirs
	prompt     string // the first one
	spoken     bool   // there is a prompt, though it may be a snapshot alone
	command    string // the first slash command, for want of a prompt
	open       bool   // that command may still turn out to be a local one
	pictured   bool   // there is a prompt that is a picture alone
	answer     string // the first one, for want of any prompt
	lineage    string
	forkedFrom string
	background bool

	title, aiTitle, lastPrompt string
	summary, leaf              string

	cwdText []byte // the last directory as it was written
	moved   bool   // the line at hand has named a directory
}

// take gives the records of a line to f. Where the line is damaged, or a subagent's,
// its directory is not the last one; where it holds several records, that is anybody's
// guess.
func (g *glance) take(line []byte, f func(jsonl.Object)) {
	n := 0
	g.moved = false
	for rec := range form.Scan(line, recordShape) {
		n++
		f(jsonl.Members(rec.Value))
	}
	if n != 1 || !g.moved {
		g.cwdText = nil
	}
}

// done reports whether the records to come can only add a title.
func (g *glance) done() bool { return g.prompt != "" && len(g.cwds.all) > 0 && g.created > 0 }

func (g *glance) head(r jsonl.Object) {
	if g.first {
		g.first = false
		g.sidechain = r.True("isSidechain")
	}
	if g.created == 0 {
		g.created = r.Millis("timestamp")
	}
	g.anywhere(r)
	k, f := classify(r)
	if f&aside != 0 || k == other {
		return
	}
	if from := r["forkedFrom"].Get("sessionId"); g.forkedFrom == "" && from.Kind() == jstext.String {
		g.forkedFrom, _ = from.Text()
	}
	if f&localOut != 0 && g.open {
		g.command = ""
	}
	if k == assistant && f&(says|failed) == says && g.answer == "" {
		texts, _ := textBlocks(r["message"].Get("content"))
		g.answer = transcript.Join(texts)
	}
	if k == assistant || k == user && f&meta == 0 || f&localRun != 0 {
		g.open = false
	}
	if k != user {
		return
	}
	g.pictured = g.pictured || f&pictured != 0
	if f&(prompt|slash) != 0 && g.lineage == "" {
		g.lineage = lineage(r, r.Text("uuid"))
	}
	texts, _ := textBlocks(r["message"].Get("content"))
	if f&prompt != 0 && g.prompt == "" {
		text := typed(texts)
		g.spoken = g.spoken || text != ""
		g.prompt = transcript.Request(text)
	}
	if f&slash != 0 && g.command == "" {
		c, _ := parseCommand(transcript.Join(texts))
		g.command, g.open = c.text, true
	}
}

// anywhere takes what counts in the head and in the tail: the last of each.
func (g *glance) anywhere(r jsonl.Object) {
	if id := r.Text("sessionId"); g.sessionID == "" && !r.True("isSidechain") {
		g.sessionID = id
	}
	g.background = g.background || r.Text("sessionKind") == "bg"
	if _, isEntry := kinds[r.Text("type")]; (isEntry || r.Text("uuid") != "") && !r.True("isSidechain") && r.Text("teamName") == "" {
		g.cwds.add(r.Text("cwd"))
		g.moved = true
	}
	switch r.Text("type") {
	case "custom-title":
		g.title = r.Text("customTitle")
	case "ai-title":
		g.aiTitle = r.Text("aiTitle")
	case "last-prompt":
		g.lastPrompt = r.Text("lastPrompt")
	case "summary":
		g.summary, g.leaf = r.Text("summary"), r.Text("leafUuid")
	}
}

var marks = [][]byte{[]byte(`-title"`), []byte(`"last-prompt"`), []byte(`"summary"`)}

// endSize is how much of a long line's ends is looked at for what it is: its
// members that matter here stand before or behind the message.
const endSize = 1 << 10

// matters reports whether a line can change what the last of its kind decides: a
// title, or the directory. It looks at a few bytes only, because a listing has
// tens of thousands of lines to pass.
func (g *glance) matters(line []byte) bool {
	if len(line) <= 2*endSize {
		return g.hasMark(line)
	}
	return g.hasMark(line[:endSize]) || g.hasMark(line[len(line)-endSize:])
}

func (g *glance) hasMark(b []byte) bool {
	for _, mark := range marks {
		if bytes.Contains(b, mark) {
			return true
		}
	}
	_, value, ok := bytes.Cut(b, []byte(`"cwd"`))
	if !ok {
		return false
	}
	begin := bytes.IndexByte(value, '"')
	end := bytes.IndexByte(value[begin+1:], '"')
	if begin < 0 || end < 0 {
		return true
	}
	if value = value[:begin+1+end]; bytes.Equal(value, g.cwdText) {
		return false
	}
	g.cwdText = value
	return true
}

// deep looks further for a first prompt.
func (g *glance) deep(path string) {
	src, err := jsonl.Open(context.Background(), path)
	if err != nil {
		return
	}
	defer src.Close()
	src.Form = &form
	src.Size = min(src.Size, deepPeek)
	for rec, err := range src.Records(context.Background(), recordShape) {
		if err != nil || g.prompt != "" {
			return
		}
		g.head(jsonl.Members(rec.Value))
	}
}

func (g *glance) ownTitle() string { return cmp.Or(g.title, g.aiTitle) }

// listTitle is what the agent shows: the session's own title, else the last
// prompt, an old summary, the first prompt. Plumbing is none of these. A summary
// often describes another file's session: it counts where its leaf is in this one.
func (g *glance) listTitle(p jsonl.Peek, path string) *string {
	if t := g.ownTitle(); t != "" {
		return &t
	}
	if !g.leafIn(p.Head) && !g.leafIn(p.Tail) {
		g.summary = ""
	}
	for _, t := range []string{g.lastAsked(path), g.summary, g.prompt, g.command} {
		if title := transcript.Title(t); title != nil && !strings.HasPrefix(t, "<command-") {
			return title
		}
	}
	if g.pictured {
		return transcript.Pictured(g.answer)
	}
	return nil
}

// leafIn reports whether the entry that the summary is about is in b.
func (g *glance) leafIn(b []byte) bool {
	if g.leaf == "" {
		return false
	}
	uuid := jstext.Quote(g.leaf)
	return bytes.Contains(b, []byte(`"uuid":`+uuid)) || bytes.Contains(b, []byte(`"uuid": `+uuid))
}

// id is the session's id. The agent names a file by its session; a file under
// another name is listed only where its records carry no id of the agent's own
// making either, for then nobody else can be meant.
func (g *glance) id(path string) string {
	if id := uuidOf(path); id != "" {
		return id
	}
	if jsonl.IsUUID(g.sessionID) {
		return ""
	}
	return g.sessionID
}
