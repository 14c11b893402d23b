package conformance_test

// A whole reader, for an agent that does not exist: ant keeps one file a session,
// <root>/<id>.jsonl, with a header and a line a message:
//
//	{"type":"session","cwd":"/work","created":1785578400000,"title":"…"}
//	{"type":"user","text":"…"}
//	{"type":"assistant","output":"…","text":"…"}
//
// A real reader has more to decide (which records are current, what is plumbing)
// and the same parts.

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dsh-toolkit/dsh/lib/jstext"
	"github.com/dsh-toolkit/dsh/lib/session"
	"github.com/dsh-toolkit/dsh/lib/store"
	"github.com/dsh-toolkit/dsh/lib/store/conformance"
	"github.com/dsh-toolkit/dsh/lib/store/jsonl"
	"github.com/dsh-toolkit/dsh/lib/store/transcript"
)

// 1. Where a store is, and what a file of this kind looks like.

var antFormat = store.Format{
	Kind: "ant",
	Roots: func(env store.Env) []string {
		if dir := env.Getenv("ANT_HOME"); dir != "" {
			return []string{dir}
		}
		if env.Home == "" {
			return []string{"/var/lib/ant"}
		}
		return []string{filepath.Join(env.Home, ".ant")}
	},
	Open: func(root string, _ store.Env) (store.Store, error) {
		// A root must exist; nothing is read yet.
		if _, err := os.ReadDir(root); err != nil {
			return nil, err
		}
		return antStore{root}, nil
	},
	Recognise: func(_ string, head []byte) bool {
		for rec := range antForm.Scan(head, antFacts) {
			return rec.Value.Get("type").Is("session") && rec.Value.Get("created").Exists()
		}
		return false
	},
	ReadFile: antRead,
}

type antStore struct{ root string }

func (antStore) Kind() string   { return "ant" }
func (s antStore) Root() string { return s.root }

// 2. The listing: names, heads and tails.

func (s antStore) List(ctx context.Context) iter.Seq2[store.Entry, error] {
	return func(yield func(store.Entry, error) bool) {
		names, err := os.ReadDir(s.root)
		if err != nil {
			yield(store.Entry{}, jsonl.Unreadable(s.root, err))
			return
		}
		for _, d := range names {
			if ctx.Err() != nil {
				return
			}
			path := filepath.Join(s.root, d.Name())
			info, err := os.Stat(path) // through links: a dangling one is said
			if err == nil && (!info.Mode().IsRegular() || filepath.Ext(path) != ".jsonl") {
				continue
			}
			var e store.Entry
			if err == nil {
				e, err = s.entry(path)
			}
			if err != nil {
				err = jsonl.Unreadable(path, err)
			} else if e.ID == "" {
				continue // nothing in it yet
			}
			if !yield(e, err) {
				return
			}
		}
	}
}

// antForm is how a record looks, told from what a record may hold.
var antForm = jsonl.Form{
	Shape: jsonl.Shape{"type": nil},
	Is:    func(v jstext.Value) bool { return v.Get("type").Kind() == jstext.String },
}

// antFacts is what a listing wants of the records.
var antFacts = jsonl.Shape{"type": nil, "cwd": nil, "created": nil, "title": nil, "text": nil}

func (s antStore) entry(path string) (store.Entry, error) {
	p, err := jsonl.ReadPeek(path)
	if err != nil {
		return store.Entry{}, err
	}
	e := store.Entry{Kind: "ant", Root: s.root, Path: path, UpdatedAt: p.ModTime.UnixMilli()}
	for rec := range antForm.Scan(p.Head, antFacts) {
		v := rec.Value
		switch {
		case v.Get("type").Is("session"):
			e.ID = antID(path)
			e.CreatedAt, _ = v.Get("created").Int()
			e.Cwd, e.Title = optional(v.Get("cwd")), optional(v.Get("title"))
		case v.Get("type").Is("user") && e.Title == nil:
			prompt, _ := v.Get("text").Text()
			e.Title = transcript.Title(prompt)
		}
	}
	return e, nil
}

func (s antStore) Title(_ context.Context, e store.Entry) (*string, error) {
	if e.Title != nil {
		return e.Title, nil
	}
	now, err := s.entry(e.Path)
	return now.Title, err
}

func antID(path string) string { return "ant:" + strings.TrimSuffix(filepath.Base(path), ".jsonl") }

func optional(v jstext.Value) *string {
	if s, ok := v.Text(); ok {
		return &s
	}
	return nil
}

// 3. The look-up. An id comes from outside: it must not become a path before it
// has been compared with the names that are there.

func (s antStore) Lookup(_ context.Context, id string) ([]store.Ref, error) {
	names, err := os.ReadDir(s.root)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, jsonl.Unreadable(s.root, err)
	}
	for _, d := range names {
		if d.Name() == id+".jsonl" {
			path := filepath.Join(s.root, d.Name())
			return []store.Ref{{ID: antID(path), Path: path}}, nil
		}
	}
	return nil, nil
}

// 4. The reading.

func (s antStore) Read(ctx context.Context, ref store.Ref, opts store.ReadOptions) (*store.Reading, error) {
	return antRead(ctx, ref.Path, opts)
}

func antRead(ctx context.Context, path string, opts store.ReadOptions) (*store.Reading, error) {
	return jsonl.Read(ctx, path, func(src *jsonl.Source) (*store.Reading, error) {
		return antReading(ctx, src, opts)
	})
}

func antReading(ctx context.Context, src *jsonl.Source, opts store.ReadOptions) (*store.Reading, error) {
	hash := sha256.New()
	if opts.Hash {
		src.Hash = hash
	}
	var b transcript.Builder
	var cwd, title *string
	var created int64
	src.Form = &antForm
	for rec, err := range src.Records(ctx, antFacts) {
		if err != nil {
			return nil, err
		}
		text, _ := rec.Value.Get("text").Text()
		switch typ, _ := rec.Value.Get("type").Text(); typ {
		case "session":
			created, _ = rec.Value.Get("created").Int()
			cwd, title = optional(rec.Value.Get("cwd")), optional(rec.Value.Get("title"))
		case "user":
			b.User(rec.Index, 0, text)
		case "assistant":
			b.Assistant(rec.Index, 0, text, "", "")
		}
	}
	surface := b.Surface(antID(src.Path), created, cwd, title, src.Count)
	r := store.Receipt{
		SessionID: surface.Header.ID, Path: src.Path, Store: "ant", Format: "ant jsonl",
		CapturedThroughSeq: surface.CapturedThroughSeq, BytesRead: src.Size,
		TornTail: src.Torn, DamagedRecords: src.Damaged, Notes: jsonl.LostOf(src),
	}
	if opts.Hash {
		r.SHA256 = hex.EncodeToString(hash.Sum(nil))
	}
	return &store.Reading{Surface: surface, Receipt: r}, nil
}

// 5. The suite.

func TestExampleReader(t *testing.T) {
	conformance.Run(t, conformance.Reader{
		Format:  antFormat,
		ID:      func(n int) string { return fmt.Sprintf("hill-%d", n) },
		Lines:   true,
		Lay:     layAnt,
		Without: map[string]string{"picture alone": "an ant shows nobody anything"},
	})
}

func layAnt(t testing.TB, root string, s conformance.Session) conformance.Laid {
	t.Helper()
	title := ""
	if s.Title != "" {
		title = `,"title":` + jstext.Quote(s.Title)
	}
	var b strings.Builder
	fmt.Fprintf(&b, `{"type":"session","cwd":%s,"created":%d%s}`+"\n", jstext.Quote(s.Cwd), s.Created.UnixMilli(), title)
	for _, m := range s.Messages {
		if m.Role == session.Assistant && m.Output > 0 {
			fmt.Fprintf(&b, `{"type":"assistant","output":"%s","text":%s}`+"\n", strings.Repeat("o", m.Output), m.Literal)
			continue
		}
		fmt.Fprintf(&b, `{"type":"%s","text":%s}`+"\n", m.Role, m.Literal)
	}
	path := filepath.Join(root, s.ID+".jsonl")
	if err := os.WriteFile(path, []byte(b.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	return conformance.Laid{ID: s.ID, Path: path}
}
