package dshlog_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/dsh-toolkit/dsh/lib/fault"
	"github.com/dsh-toolkit/dsh/lib/jstext"
	"github.com/dsh-toolkit/dsh/lib/store"
	"github.com/dsh-toolkit/dsh/lib/store/dshlog"
)

const testdata = "../../../testdata"

var ctx = context.Background()

func environment(vars map[string]string) store.Env {
	return store.Env{Getenv: func(k string) string { return vars[k] }, Home: "/home/someone", GOOS: "linux"}
}

func open(t testing.TB, root string) *dshlog.Store {
	t.Helper()
	s, err := dshlog.Open(root, environment(nil))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func list(t testing.TB, s *dshlog.Store) (entries []store.Entry, errs []error) {
	t.Helper()
	for e, err := range s.List(ctx) {
		if err != nil {
			errs = append(errs, err)
			continue
		}
		entries = append(entries, e)
	}
	slices.SortFunc(entries, func(a, b store.Entry) int { return strings.Compare(a.ID+a.Path, b.ID+b.Path) })
	return entries, errs
}

func readID(t testing.TB, s *dshlog.Store, id string) (*store.Reading, error) {
	t.Helper()
	refs, err := s.Lookup(ctx, id)
	if err != nil || len(refs) != 1 || refs[0].ID != id {
		t.Fatalf("Lookup(%q) = %v, %v, want one place", id, refs, err)
	}
	return s.Read(ctx, refs[0], store.ReadOptions{})
}

func parse(t testing.TB, path string) jstext.Value {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	v, err := jstext.Parse(jstext.Decode(data))
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// fixture is one log with what is known of it.
type fixture struct {
	name, root, log string
	want            jstext.Value
}

// fixtures are the logs that have an expected.json beside them.
func fixtures(t testing.TB) []fixture {
	var out []fixture
	base := testdata + "/fixtures/dsh"
	err := filepath.WalkDir(base, func(path string, d os.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, "expected.json") {
			return err
		}
		f := fixture{want: parse(t, path)}
		id, _ := f.want.Get("sessionId").Text()
		stem := strings.TrimSuffix(strings.TrimSuffix(path, "expected.json"), ".")
		logs, _ := filepath.Glob(stem + "*.jsonl*")
		if len(logs) == 0 {
			logs, _ = filepath.Glob(filepath.Join(filepath.Dir(path), "session.v4.jsonl*"))
		}
		for _, l := range logs {
			if strings.HasSuffix(l, "v4.jsonl.zstd") || len(logs) == 1 {
				f.log = l
			}
		}
		f.root = filepath.Dir(filepath.Dir(path))
		if filepath.Base(path) == "expected.json" || strings.Contains(path, "v0-late") {
			f.root = filepath.Dir(f.root)
		}
		if f.log == "" {
			return fmt.Errorf("no log beside %s", path)
		}
		rel, _ := filepath.Rel(base, f.root)
		f.name = rel + "/" + id
		out = append(out, f)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(out) < 30 {
		t.Fatalf("only %d fixtures", len(out))
	}
	return out
}

// surfaceSeqs are the seqs that the surface must have. In gap-tail the list was
// made without regard to the hole at 35, behind which 36 stands: FORMATS-dsh lets
// only what is before damage count, and so does the file's own capturedThroughSeq.
func (f fixture) surfaceSeqs() []int64 {
	through, _ := f.want.Get("capturedThroughSeq").Int()
	var seqs []int64
	for v := range f.want.Get("surfaceSeqs").Elements() {
		if n, _ := v.Int(); n <= through || f.name != "formats/gap-tail/fmt-gap-tail" {
			seqs = append(seqs, n)
		}
	}
	return seqs
}

func opt(v jstext.Value) *string {
	if s, ok := v.Text(); ok {
		return &s
	}
	return nil
}

func quoted(s *string) string {
	if s == nil {
		return "none"
	}
	return fmt.Sprintf("%q", *s)
}

func (f fixture) check(t *testing.T, r *store.Reading) {
	t.Helper()
	s := r.Surface
	if id, _ := f.want.Get("sessionId").Text(); s.Header.ID != id || r.Receipt.SessionID != id {
		t.Errorf("id %q, in the receipt %q, want %q", s.Header.ID, r.Receipt.SessionID, id)
	}
	if want := opt(f.want.Get("cwd")); quoted(s.Header.Cwd) != quoted(want) {
		t.Errorf("cwd %s, want %s", quoted(s.Header.Cwd), quoted(want))
	}
	if want := opt(f.want.Get("title")); quoted(s.Title) != quoted(want) {
		t.Errorf("title %s, want %s", quoted(s.Title), quoted(want))
	}
	through, _ := f.want.Get("capturedThroughSeq").Int()
	if s.CapturedThroughSeq == nil || *s.CapturedThroughSeq != through || *r.Receipt.CapturedThroughSeq != through {
		t.Errorf("captured through %v, want %d", s.CapturedThroughSeq, through)
	}
	var seqs []int64
	for _, ev := range s.Events {
		seqs = append(seqs, ev.Seq)
	}
	if want := f.surfaceSeqs(); !slices.Equal(seqs, want) {
		t.Errorf("surface %v, want %v", seqs, want)
	}
	checkpoint := false
	for item := range f.want.Get("conversation").Elements() {
		checkpoint = checkpoint || item.Get("checkpoint").True()
	}
	if r.Receipt.Checkpoint != checkpoint {
		t.Errorf("checkpoint %v, want %v", r.Receipt.Checkpoint, checkpoint)
	}
}

func TestFixtures(t *testing.T) {
	for _, f := range fixtures(t) {
		t.Run(f.name, func(t *testing.T) {
			s := open(t, f.root)
			id, _ := f.want.Get("sessionId").Text()
			reading, err := readID(t, s, id)
			if err != nil {
				t.Fatal(err)
			}
			f.check(t, reading)
			if !sameFile(t, reading.Receipt.Path, f.log) {
				t.Errorf("read %q, want %q", reading.Receipt.Path, f.log)
			}
			want := string(reading.Surface.AppendJSON(nil))
			verified, err := dshlog.Format.ReadFile(ctx, f.log, store.ReadOptions{Verify: true})
			if err != nil {
				t.Fatal(err)
			}
			f.check(t, verified)
			if got := string(verified.Surface.AppendJSON(nil)); got != want {
				t.Errorf("verified:\n%s\nread:\n%s", got, want)
			}
			f.checkListed(t, s, id)
			f.checkVerdict(t, s, id)
			head, err := os.ReadFile(f.log)
			if err != nil {
				t.Fatal(err)
			}
			if !dshlog.Format.Recognise(filepath.Base(f.log), head[:min(len(head), 64<<10)]) {
				t.Error("not recognised")
			}
		})
	}
}

func sameFile(t testing.TB, a, b string) bool {
	t.Helper()
	x, err := os.Stat(a)
	if err != nil {
		t.Fatal(err)
	}
	y, err := os.Stat(b)
	if err != nil {
		t.Fatal(err)
	}
	return os.SameFile(x, y)
}

func (f fixture) checkListed(t *testing.T, s *dshlog.Store, id string) {
	t.Helper()
	entries, errs := list(t, s)
	if len(errs) > 0 {
		t.Fatal(errs)
	}
	i := slices.IndexFunc(entries, func(e store.Entry) bool { return e.ID == id })
	if i < 0 {
		t.Fatalf("not listed: %v", entries)
	}
	e := entries[i]
	info, err := os.Stat(f.log)
	if err != nil {
		t.Fatal(err)
	}
	if e.Kind != "dsh" || e.Root != f.root || !sameFile(t, e.Path, f.log) || e.UpdatedAt != info.ModTime().UnixMilli() ||
		quoted(e.Cwd) != quoted(opt(f.want.Get("cwd"))) || e.CreatedAt <= 0 {
		t.Errorf("listed as %+v", e)
	}
	title, err := s.Title(ctx, e)
	if want := opt(f.want.Get("title")); err != nil || quoted(title) != quoted(want) {
		t.Errorf("title %s, %v, want %s", quoted(title), err, quoted(want))
	}
}

func (f fixture) checkVerdict(t *testing.T, s *dshlog.Store, id string) {
	t.Helper()
	refs, err := s.Lookup(ctx, id)
	if err != nil {
		t.Fatal(err)
	}
	v, err := s.Check(ctx, refs[0])
	if err != nil {
		t.Fatal(err)
	}
	through, _ := f.want.Get("capturedThroughSeq").Int()
	if !v.Referenceable() || v.SessionID != id || v.Nodes != len(f.surfaceSeqs()) || v.Events != through+1 ||
		*v.CapturedThroughSeq != through || v.Checkpoint && v.Compactions == 0 {
		t.Errorf("verdict %s", v.AppendJSON(nil))
	}
}

// The logs that have a README in the place of an expected.json.
func TestFailingFixtures(t *testing.T) {
	root := func(name string) *dshlog.Store { return open(t, testdata+"/fixtures/dsh/formats/"+name) }
	want := func(t *testing.T, err error, kind fault.Kind, parts ...string) {
		t.Helper()
		var f *fault.Error
		if !errors.As(err, &f) || f.Kind != kind || f.Code != fault.ReadFailed || f.Subject == "" {
			t.Fatalf("error %v, want kind %d", err, kind)
		}
		for _, p := range parts {
			if !strings.Contains(err.Error(), p) {
				t.Errorf("error %q, want %q in it", err, p)
			}
		}
	}
	t.Run("gap-committed", func(t *testing.T) {
		_, err := readID(t, root("gap-committed"), "fmt-gap-committed")
		want(t, err, fault.Damaged, "expected 6 got 7", "session.v4.jsonl")
	})
	t.Run("newer", func(t *testing.T) {
		s := root("newer")
		_, err := readID(t, s, "fmt-newer")
		want(t, err, fault.Unsupported, "session format 5 is newer than this tool reads (4)", "session.v5")
		entries, errs := list(t, s)
		if len(entries) != 0 || len(errs) != 1 {
			t.Fatalf("listed %v, %v, want one error", entries, errs)
		}
		want(t, errs[0], fault.Unsupported, "session format 5")
		// A bare file says itself what it is.
		_, err = dshlog.Format.ReadFile(ctx, s.Root()+"/--home-dev-api-server--/fmt-newer/session.v5.jsonl.zstd", store.ReadOptions{})
		want(t, err, fault.Unsupported, "session format 5")
		if _, err := dshlog.Format.ReadFile(ctx, s.Root()+"/--home-dev-api-server--/fmt-newer/session.v3.jsonl.zstd", store.ReadOptions{}); err != nil {
			t.Error(err)
		}
	})
	t.Run("torn", func(t *testing.T) {
		r, err := readID(t, root("torn"), "fmt-torn")
		if err != nil {
			t.Fatal(err)
		}
		if r.Receipt.TornTail == 0 || *r.Surface.CapturedThroughSeq < 20 || len(r.Receipt.Notes) != 1 || r.Receipt.DamagedRecords != 0 {
			t.Errorf("%+v", r.Receipt)
		}
	})
	t.Run("unknown-surface", func(t *testing.T) {
		_, err := readID(t, root("unknown-surface"), "fmt-unknown-surface")
		want(t, err, fault.Damaged, "hologram/message", "35")
	})
	t.Run("generations", func(t *testing.T) {
		refs, err := root("generations").Lookup(ctx, "fmt-generations")
		if err != nil || len(refs) != 1 || filepath.Base(refs[0].Path) != "session.v4.jsonl.zstd" {
			t.Errorf("%v, %v, want v4 alone", refs, err)
		}
	})
}

func TestInputs(t *testing.T) {
	read := func(name string) (*store.Reading, error) {
		return dshlog.Format.ReadFile(ctx, testdata+"/inputs/"+name, store.ReadOptions{})
	}
	seqs := func(r *store.Reading) (out []int64) {
		for _, ev := range r.Surface.Events {
			out = append(out, ev.Seq)
		}
		return out
	}
	t.Run("35 torn frame", func(t *testing.T) {
		r, err := read("35-dsh-torn-frame/session.jsonl.zstd")
		if err != nil || !slices.Equal(seqs(r), []int64{0, 1}) || *r.Surface.CapturedThroughSeq != 2 || r.Receipt.TornTail != 137 {
			t.Errorf("%+v, %v", r, err)
		}
	})
	t.Run("35 corrupt", func(t *testing.T) {
		_, err := read("35-dsh-torn-frame/corrupt.jsonl.zstd")
		var f *fault.Error
		if !errors.As(err, &f) || f.Kind != fault.Damaged || f.Rule != "committed-frame" || !strings.Contains(err.Error(), "byte 110") {
			t.Errorf("%v", err)
		}
	})
	t.Run("37 gap then end", func(t *testing.T) {
		_, err := read("37-dsh-seq-gap/gap-then-end.jsonl")
		if fault.KindOf(err) != fault.Damaged || !strings.Contains(err.Error(), "seq gap, expected 2 got 5") {
			t.Errorf("%v", err)
		}
	})
	t.Run("37 gap tail", func(t *testing.T) {
		r, err := read("37-dsh-seq-gap/gap-tail.jsonl")
		if err != nil || !slices.Equal(seqs(r), []int64{0, 1}) || r.Receipt.DamagedRecords != 1 {
			t.Fatalf("%+v, %v", r, err)
		}
		if len(r.Receipt.Notes) != 1 || !strings.Contains(r.Receipt.Notes[0], "seq gap, expected 2 got 5") {
			t.Errorf("notes %q", r.Receipt.Notes)
		}
	})
	t.Run("39 unknown event", func(t *testing.T) {
		// Without surfaceOp it is log-only, whatever it is (FORMATS-dsh). That a newer
		// dsh may mean something by it is worth a note.
		r, err := read("39-dsh-unknown-event/hard.jsonl")
		if err != nil || !slices.Equal(seqs(r), []int64{0}) || *r.Surface.CapturedThroughSeq != 2 ||
			len(r.Receipt.Notes) != 1 || !strings.Contains(r.Receipt.Notes[0], `"future/thing"`) {
			t.Errorf("%+v, %v", r, err)
		}
		r, err = read("39-dsh-unknown-event/soft.jsonl")
		if err != nil || !slices.Equal(seqs(r), []int64{0}) || len(r.Receipt.Notes) != 0 {
			t.Errorf("ignorable: %+v, %v", r, err)
		}
	})
	t.Run("11 number precision", func(t *testing.T) {
		r, err := read("11-number-precision/session.jsonl")
		if err != nil || len(r.Surface.Events) != 0 || r.Surface.CapturedThroughSeq != nil ||
			!strings.Contains(strings.Join(r.Receipt.Notes, "\n"), "expected 0 got 9007199254740993") {
			t.Errorf("%+v, %v", r, err)
		}
	})
}
