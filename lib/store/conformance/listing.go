package conformance

import (
	"context"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/dsh-toolkit/dsh/lib/fault"
	"github.com/dsh-toolkit/dsh/lib/session"
	"github.com/dsh-toolkit/dsh/lib/store"
)

func checkFormat(t *testing.T, r Reader) {
	root := t.TempDir()
	st := r.open(t, root)
	if st.Kind() != r.Format.Kind || st.Kind() == "" || strings.ContainsAny(st.Kind(), ": /") {
		t.Errorf("the store's kind is %q, the format's %q", st.Kind(), r.Format.Kind)
	}
	if st.Root() != root {
		t.Errorf("opened %q, Root says %q", root, st.Root())
	}
	for _, goos := range []string{"linux", "darwin", "windows"} {
		env := Env(t)
		env.GOOS = goos
		if len(r.Format.Roots(env)) == 0 {
			t.Errorf("no default root on %s", goos)
		}
		env.Home = ""
		for _, root := range r.Format.Roots(env) {
			if !filepath.IsAbs(root) {
				t.Errorf("without a home, %s has the root %q, which depends on the working directory", goos, root)
			}
		}
	}
	at := r.Lay(t, root, r.session(1))
	head := mustRead(t, at.Path)
	if !r.Format.Recognise(filepath.Base(at.Path), head[:min(len(head), 64<<10)]) {
		t.Errorf("does not recognise its own %q", at.Path)
	}
	for _, other := range []string{"", "\n", "plain text\n", "{}\n", `{"type":"session","version":0,"id":"x","createdAt":1,"delegationDepth":0}` + "\n", "\x00\xff\xfe", "[]"} {
		if r.Format.Recognise("notes.txt", []byte(other)) {
			t.Errorf("recognises %q as a session of its own", other)
		}
	}
}

func checkListing(t *testing.T, r Reader) {
	root := t.TempDir()
	st := r.open(t, root)
	if entries, errs := list(t, st); len(entries) > 0 || len(errs) > 0 {
		t.Errorf("an empty store lists %v, %v", entries, errs)
	}
	titled := r.session(2)
	titled.Title = "A title of its own"
	sessions := []Session{r.session(1), titled, r.session(3)}
	before := time.Now().Add(-time.Minute).UnixMilli()
	laid := make(map[string]Laid)
	for _, s := range sessions {
		laid[r.full(s.ID)] = r.Lay(t, root, s)
	}
	entries, errs := list(t, st)
	for _, err := range errs {
		t.Errorf("listing: %v", err)
	}
	wantIDs(t, entries, r.full(r.ID(1)), r.full(r.ID(2)), r.full(r.ID(3)))
	for _, s := range sessions {
		e := entries[r.full(s.ID)]
		title, err := st.Title(context.Background(), e)
		if err != nil {
			t.Errorf("title of %q: %v", e.ID, err)
		}
		want := s.Messages[0].Text()
		if s.Title != "" {
			want = s.Title
		}
		if opt(title) != opt(&want) {
			t.Errorf("%q: title %s, want %q", e.ID, opt(title), want)
		}
		if e.Title != nil && opt(e.Title) != opt(title) {
			t.Errorf("%q: the listing says %s, Title says %s", e.ID, opt(e.Title), opt(title))
		}
		if opt(e.Cwd) != opt(&s.Cwd) {
			t.Errorf("%q: cwd %s, want %q", e.ID, opt(e.Cwd), s.Cwd)
		}
		if d := e.CreatedAt - s.Created.UnixMilli(); d < 0 || d > 60_000 {
			t.Errorf("%q: created at %d, want %d", e.ID, e.CreatedAt, s.Created.UnixMilli())
		}
		if e.UpdatedAt < min(before, s.Created.UnixMilli()) || e.UpdatedAt > time.Now().Add(time.Minute).UnixMilli() {
			t.Errorf("%q: updated at %d", e.ID, e.UpdatedAt)
		}
		if e.Kind != st.Kind() || e.Root != root || e.Path != laid[e.ID].Path {
			t.Errorf("%q: kind %q, root %q, path %q; want %q, %q, %q", e.ID, e.Kind, e.Root, e.Path, st.Kind(), root, laid[e.ID].Path)
		}
	}
	n := 0
	for range st.List(context.Background()) {
		n++
		break // a consumer may stop
	}
	if n != 1 {
		t.Errorf("stopped after %d entries", n)
	}
}

// checkHollow lists a log of three gigabytes, nearly all of it a hole.
func checkHollow(t *testing.T, r Reader) {
	if !r.Lines {
		t.Log("a listing's cost is measured for formats of lines only")
		return
	}
	root := t.TempDir()
	s := r.session(1)
	at := r.Lay(t, root, s)
	content := mustRead(t, at.Path)
	last := content[strings.LastIndex(strings.TrimRight(string(content), "\n"), "\n")+1:]
	f, err := os.OpenFile(at.Path, os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if _, err := f.WriteAt(append([]byte{'\n'}, last...), 3<<30); err != nil {
		t.Skipf("no room for a hole here: %v", err)
	}
	st := r.open(t, root)
	var was, is runtime.MemStats
	runtime.ReadMemStats(&was)
	start := time.Now()
	entries, errs := list(t, st)
	refs, err := st.Lookup(context.Background(), s.ID)
	took := time.Since(start)
	runtime.ReadMemStats(&is)
	wantIDs(t, entries, r.full(s.ID))
	if len(errs) > 0 || err != nil || len(refs) != 1 {
		t.Errorf("listing: %v; look-up: %v, %v", errs, refs, err)
	}
	if took > time.Second {
		t.Errorf("took %v: the body was read", took)
	}
	if used := is.TotalAlloc - was.TotalAlloc; used > 4<<20 {
		t.Errorf("allocated %d bytes", used)
	}
}

// checkSurrogateTitle lists a title with half a surrogate pair, the agent's own and one
// made of a prompt: programs that read JSON refuse such a text, and terminals cannot show
// it. The surface has it as it is.
func checkSurrogateTitle(t *testing.T, r Reader) {
	root := t.TempDir()
	s := r.session(1, Message{Role: session.User, Literal: `"cut \ud83d here"`}, Assistant("yes"))
	titled := r.session(2)
	titled.Title = "cut \xed\xa0\xbd here"
	r.Lay(t, root, s)
	r.Lay(t, root, titled)
	st := r.open(t, root)
	set := &store.Set{Stores: []store.Store{st}}
	entries, errs := set.List(context.Background())
	set.FillTitles(context.Background(), entries)
	if len(entries) != 2 || len(errs) > 0 {
		t.Fatalf("listed %v, %v", entries, errs)
	}
	for _, e := range entries {
		if e.Label() != "cut \uFFFD here" {
			t.Errorf("%s is listed as %q", e.ID, e.Label())
		}
	}
	if js := string(read(t, st, s.ID).Surface.AppendJSON(nil)); !strings.Contains(js, `cut \ud83d here`) {
		t.Errorf("printed %s", js)
	}
}

func checkIdentity(t *testing.T, r Reader) {
	root := t.TempDir()
	at := r.Lay(t, root, r.session(1))
	r.Lay(t, root, r.session(2))
	st := r.open(t, root)
	ref := find(t, st, r.ID(1))
	if ref.ID != r.full(r.ID(1)) || ref.Path != at.Path {
		t.Errorf("found %q in %q, want %q in %q", ref.ID, ref.Path, r.full(r.ID(1)), at.Path)
	}
	reading, err := st.Read(context.Background(), ref, store.ReadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	bare, err := r.Format.ReadFile(context.Background(), at.Path, store.ReadOptions{})
	if err != nil {
		t.Fatalf("read the bare file: %v", err)
	}
	cwd := r.session(1).Cwd
	for name, got := range map[string]*store.Reading{"store": reading, "bare file": bare} {
		h := got.Surface.Header
		if h.ID != ref.ID || got.Receipt.SessionID != ref.ID || got.Receipt.Path != at.Path || got.Receipt.Store != st.Kind() || got.Receipt.Format == "" {
			t.Errorf("%s: header id %q, receipt %+v", name, h.ID, got.Receipt)
		}
		if opt(h.Cwd) != opt(&cwd) || h.Version != 0 || h.CreatedAt <= 0 {
			t.Errorf("%s: header %s", name, h.JSON.Raw())
		}
		if h.JSON.Get("id").JSON() != r.idJSON(1) || h.JSON.Get("delegationDepth").Raw() != "0" {
			t.Errorf("%s: header %s", name, h.JSON.Raw())
		}
	}
	if refs, err := st.Lookup(context.Background(), r.ID(9)); len(refs) > 0 || err != nil {
		t.Errorf("an id that nobody has: got %v, %v", refs, err)
	}
}

func (r Reader) idJSON(n int) string { id := r.full(r.ID(n)); return opt(&id) }

// checkRenamed gives a session's file a name that the agent would not. It may be no
// session then; but what is listed is found and read by the id it is listed with.
func checkRenamed(t *testing.T, r Reader) {
	if !r.Lines {
		t.Log("a name is looked at in formats of lines only")
		return
	}
	own := filepath.Base(r.Lay(t, t.TempDir(), r.session(1)).Path)
	prefix, _, _ := strings.Cut(own, "-")
	for _, name := range []string{
		prefix + "-renamed" + filepath.Ext(own), "copy of " + own, filepath.Base(r.Lay(t, t.TempDir(), r.session(9)).Path),
	} {
		root := t.TempDir()
		at := r.Lay(t, root, r.session(1))
		other := r.Lay(t, root, r.session(2))
		renamed := filepath.Join(filepath.Dir(at.Path), name)
		if err := os.Rename(at.Path, renamed); err != nil {
			t.Fatal(err)
		}
		st := r.open(t, root)
		entries, _ := list(t, st)
		if _, ok := entries[r.full(other.ID)]; !ok {
			t.Errorf("%q: the other session is not listed", renamed)
		}
		for id, e := range entries {
			if ref := find(t, st, strings.TrimPrefix(id, r.full(""))); ref.ID != id || ref.Path != e.Path {
				t.Errorf("%q is listed in %q, found as %q in %q", id, e.Path, ref.ID, ref.Path)
			}
			if got := read(t, st, strings.TrimPrefix(id, r.full(""))).Receipt.SessionID; got != id {
				t.Errorf("%q is read as %q", id, got)
			}
		}
	}
}

// checkHostileIDs looks ids up that must lead nowhere, above all not out of the
// root.
func checkHostileIDs(t *testing.T, r Reader) {
	dir := t.TempDir()
	root := filepath.Join(dir, "inner")
	outside := filepath.Join(dir, "outer")
	for _, d := range []string{root, outside} {
		if err := os.Mkdir(d, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	at := r.Lay(t, outside, r.session(1))
	r.Lay(t, root, r.session(2))
	st := r.open(t, root)
	away, err := filepath.Rel(root, at.Path)
	if err != nil {
		t.Fatal(err)
	}
	name := strings.TrimSuffix(filepath.Base(at.Path), filepath.Ext(at.Path))
	half := r.ID(2)[:len(r.ID(2))-1]
	for _, id := range []string{
		"", ".", "..", "/", "*", "?", "[", "%00", "\x00", "\n", "\xed\xa0\xbd", "'; DROP TABLE session; --", half, half + "*", half + "?",
		strings.Repeat("x", 10_000), at.Path, away, strings.TrimSuffix(away, filepath.Ext(away)), "../" + name, `..\` + name,
	} {
		if refs, err := st.Lookup(context.Background(), id); len(refs) > 0 || err != nil {
			t.Errorf("looked up %.60q: got %v, %v", id, refs, err)
		}
	}
}

func checkUnreadable(t *testing.T, r Reader) {
	root := t.TempDir()
	good, bad := r.Lay(t, root, r.session(1)), r.Lay(t, root, r.session(2))
	st := r.open(t, root)
	ref := find(t, st, bad.ID)
	if filepath.Dir(good.Path) == filepath.Dir(bad.Path) {
		forbid(t, bad.Path)
	} else {
		forbid(t, filepath.Dir(bad.Path))
	}
	entries, errs := list(t, st)
	wantIDs(t, entries, r.full(good.ID))
	if len(errs) == 0 {
		t.Error("the listing says nothing of what it could not read")
	}
	read(t, st, good.ID)
	_, err := st.Read(context.Background(), ref, store.ReadOptions{})
	wantFault(t, err, fault.Unreadable)
	_, err = r.Format.ReadFile(context.Background(), bad.Path, store.ReadOptions{})
	wantFault(t, err, fault.Unreadable)
}

func checkSymlinks(t *testing.T, r Reader) {
	dir := t.TempDir()
	root := filepath.Join(dir, "real")
	if err := os.Mkdir(root, 0o700); err != nil {
		t.Fatal(err)
	}
	at := r.Lay(t, root, r.session(1))
	r.Lay(t, root, r.session(2))
	home := filepath.Join(dir, "home")
	links := [][2]string{{"real", home}, {filepath.Join(dir, "nowhere"), filepath.Join(root, "gone")}, {".", filepath.Join(root, "self")}}
	if d := filepath.Dir(at.Path); d != root {
		links = append(links, [2]string{filepath.Base(d), d + "-alias"}, [2]string{"..", filepath.Join(d, "loop")}, [2]string{filepath.Join(dir, "nowhere"), d + "-gone"})
	}
	for _, l := range links {
		if err := os.Symlink(l[0], l[1]); err != nil {
			t.Fatal(err)
		}
	}
	for _, root := range []string{root, home} {
		st := r.open(t, root)
		entries, _ := list(t, st) // a dangling link may be said, and must not end it
		wantIDs(t, entries, r.full(r.ID(1)), r.full(r.ID(2)))
		wantTurns(t, Conversation(t, read(t, st, r.ID(1)).Surface), turns(r.session(1).Messages))
		if st.Root() != root {
			t.Errorf("opened %q, Root says %q", root, st.Root())
		}
	}
}

func checkNoRoot(t *testing.T, r Reader) {
	dir := t.TempDir()
	missing := filepath.Join(dir, "missing")
	if st, err := r.Format.Open(missing, Env(t)); err == nil {
		t.Errorf("opened a root that does not exist: %v", st.Root())
	}
	if names, _ := filepath.Glob(filepath.Join(dir, "*")); len(names) > 0 {
		t.Errorf("made %q", names)
	}
	// A root that goes away while it is open is an error of each call, not a crash.
	gone := filepath.Join(dir, "gone")
	if err := os.Mkdir(gone, 0o700); err != nil {
		t.Fatal(err)
	}
	r.Lay(t, gone, r.session(1))
	st := r.open(t, gone)
	ref := find(t, st, r.ID(1))
	if err := os.RemoveAll(gone); err != nil {
		t.Fatal(err)
	}
	if entries, _ := list(t, st); len(entries) > 0 {
		t.Errorf("lists %v of a root that is gone", entries)
	}
	if refs, _ := st.Lookup(context.Background(), r.ID(1)); len(refs) > 0 {
		t.Errorf("finds %v in a root that is gone", refs)
	}
	_, err := st.Read(context.Background(), ref, store.ReadOptions{})
	wantFault(t, err, fault.Unreadable)
}

func checkAbsentFile(t *testing.T, r Reader) {
	dir := t.TempDir()
	for _, path := range []string{filepath.Join(dir, "absent"), dir} {
		_, err := r.Format.ReadFile(context.Background(), path, store.ReadOptions{})
		wantFault(t, err, fault.Unreadable)
	}
}

// checkUntouched runs every call and compares the store before and after.
func checkUntouched(t *testing.T, r Reader) {
	root := t.TempDir()
	at := r.Lay(t, root, r.session(1))
	r.Lay(t, root, r.session(2))
	st := r.open(t, root)
	before := Tree(t, root)
	entries, _ := list(t, st)
	for _, e := range entries {
		if _, err := st.Title(context.Background(), e); err != nil {
			t.Error(err)
		}
	}
	for _, opts := range []store.ReadOptions{{}, {Hash: true, Verify: true}} {
		if _, err := st.Read(context.Background(), find(t, st, r.ID(1)), opts); err != nil {
			t.Error(err)
		}
	}
	if _, err := r.Format.ReadFile(context.Background(), at.Path, store.ReadOptions{Hash: true, Verify: true}); err != nil {
		t.Error(err)
	}
	if after := Tree(t, root); !slices.Equal(before, after) {
		t.Errorf("the store was\n%s\nand is\n%s", strings.Join(before, "\n"), strings.Join(after, "\n"))
	}
}
