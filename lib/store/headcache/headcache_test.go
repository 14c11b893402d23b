package headcache_test

import (
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/dsh-toolkit/dsh/lib/store/headcache"
)

// rest makes a file look as if it had been at rest for a minute.
func rest(t testing.TB, path string) {
	t.Helper()
	old := time.Now().Add(-time.Minute)
	if err := os.Chtimes(path, old, old); err != nil {
		t.Fatal(err)
	}
}

// keyOf is the key of a file whose change time, which nobody can set, is as old as
// its modification time.
func keyOf(t testing.TB, path string) headcache.Key {
	t.Helper()
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	k := headcache.KeyOf(path, info)
	k.Ctime = k.Mtime
	return k
}

func file(t testing.TB, dir, name, content string) headcache.Key {
	t.Helper()
	path := filepath.Join(dir, name)
	if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
	rest(t, path)
	return keyOf(t, path)
}

func want(t *testing.T, c *headcache.Cache, k headcache.Key, value string) {
	t.Helper()
	if got, ok := c.Get(k); got != value || !ok {
		t.Errorf("%q: %q, %v, want %q", filepath.Base(k.Path), got, ok, value)
	}
}

func wantNone(t *testing.T, c *headcache.Cache, k headcache.Key) {
	t.Helper()
	if got, ok := c.Get(k); ok {
		t.Errorf("%q: %q, want nothing", filepath.Base(k.Path), got)
	}
}

func TestRoundTrip(t *testing.T) {
	dir := t.TempDir()
	at := headcache.Path(dir, "dsh", "/root")
	a, b := file(t, dir, "a", "one"), file(t, dir, "b", "two")
	c := headcache.New(at)
	wantNone(t, c, a)
	c.Put(a, "fact a")
	c.Put(b, "")
	want(t, c, a, "fact a")
	c.Save()
	for range 2 { // what another program has learnt, and has written again
		c = headcache.New(at)
		want(t, c, a, "fact a")
		want(t, c, b, "")
		c.Put(b, "")
		c.Save()
	}
	wantNone(t, headcache.New(headcache.Path(dir, "dsh", "/other")), a)
	if info, err := os.Stat(at); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info, err)
	}
}

// Whatever of a file's state has changed, what was known of it is not.
func TestStale(t *testing.T) {
	dir := t.TempDir()
	at := headcache.Path(dir, "dsh", "/root")
	k := file(t, dir, "a", "one")
	c := headcache.New(at)
	c.Put(k, "fact")
	c.Save()
	for name, change := range map[string]func(*headcache.Key){
		"size": func(k *headcache.Key) { k.Size++ }, "mtime": func(k *headcache.Key) { k.Mtime++ },
		"ctime": func(k *headcache.Key) { k.Ctime++ }, "inode": func(k *headcache.Key) { k.Inode++ },
		"device": func(k *headcache.Key) { k.Device++ }, "path": func(k *headcache.Key) { k.Path += "x" },
	} {
		changed := k
		change(&changed)
		if got, ok := headcache.New(at).Get(changed); ok {
			t.Errorf("another %s: %q", name, got)
		}
	}
	want(t, headcache.New(at), k, "fact")
}

// The system's own change time is part of the key where there is one: a file that
// was rewritten and then given its old time back is another.
func TestRewritten(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a")
	state := func(content string) headcache.Key {
		if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
		old := time.Unix(1_700_000_000, 0)
		if err := os.Chtimes(path, old, old); err != nil {
			t.Fatal(err)
		}
		info, err := os.Stat(path)
		if err != nil {
			t.Fatal(err)
		}
		return headcache.KeyOf(path, info)
	}
	before := state("one")
	if before.Ctime == 0 {
		t.Log("this system tells no change time")
		return
	}
	for range 100 {
		if state("two") != before {
			return
		}
		time.Sleep(time.Millisecond)
	}
	t.Error("a rewritten file has the same key")
}

// A file that was just written may be written again in the same tick of the clock:
// what was learnt of it is believed by no other program.
func TestRacy(t *testing.T) {
	dir := t.TempDir()
	at := headcache.Path(dir, "dsh", "/root")
	path := filepath.Join(dir, "a")
	if err := os.WriteFile(path, []byte("one"), 0o644); err != nil {
		t.Fatal(err)
	}
	k := keyOf(t, path)
	c := headcache.New(at)
	c.Put(k, "fact")
	want(t, c, k, "fact")
	c.Save()
	wantNone(t, headcache.New(at), k)
	// However late the cache is written: what counts is when the fact was learnt.
	later := time.Now().Add(time.Second)
	if err := os.Chtimes(at, later, later); err != nil {
		t.Fatal(err)
	}
	wantNone(t, headcache.New(at), k)
}

func TestSpoiled(t *testing.T) {
	dir := t.TempDir()
	at := headcache.Path(dir, "dsh", "/root")
	k := file(t, dir, "a", "one")
	c := headcache.New(at)
	c.Put(k, "fact")
	c.Save()
	good, err := os.ReadFile(at)
	if err != nil {
		t.Fatal(err)
	}
	spoil := func(b []byte) {
		t.Helper()
		if err := os.WriteFile(at, b, 0o600); err != nil {
			t.Fatal(err)
		}
		c := headcache.New(at)
		wantNone(t, c, k)
		c.Put(k, "new")
		want(t, c, k, "new")
	}
	for i := range good {
		b := append([]byte(nil), good...)
		b[i] ^= 0x10
		spoil(b)
		spoil(good[:i])
	}
	spoil(append(good, 'x'))
	if err := os.Remove(at); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(at, 0o755); err != nil {
		t.Fatal(err)
	}
	wantNone(t, headcache.New(at), k)
}

func TestPrune(t *testing.T) {
	dir := t.TempDir()
	at := headcache.Path(dir, "dsh", "/root")
	a, b := file(t, dir, "a", "one"), file(t, dir, "b", "two")
	c := headcache.New(at)
	c.Put(a, "a")
	c.Put(b, "b")
	c.Save()
	c = headcache.New(at)
	want(t, c, a, "a")
	c.Prune()
	c.Save()
	c = headcache.New(at)
	want(t, c, a, "a")
	wantNone(t, c, b)
}

// A cache that cannot be kept is none, and nobody is told.
func TestNowhere(t *testing.T) {
	dir := t.TempDir()
	k := file(t, dir, "a", "one")
	for _, at := range []string{"", filepath.Join(dir, "a", "x"), "/proc/none/x"} {
		c := headcache.New(at)
		c.Put(k, "fact")
		c.Save()
		want(t, c, k, "fact")
	}
}

// Programs that write at the same time: one wins, and what it wrote is whole.
func TestConcurrent(t *testing.T) {
	dir := t.TempDir()
	at := headcache.Path(dir, "dsh", "/root")
	var keys []headcache.Key
	for i := range 20 {
		keys = append(keys, file(t, dir, fmt.Sprint(i), "x"))
	}
	var wg sync.WaitGroup
	for n := range 8 {
		wg.Go(func() {
			for range 30 {
				c := headcache.New(at)
				for i, k := range keys {
					if v, ok := c.Get(k); ok && v != fmt.Sprint("fact ", i) {
						t.Errorf("fact %d is %q", i, v)
					}
					if i%8 == n || i == 0 {
						c.Put(k, fmt.Sprint("fact ", i))
					}
				}
				c.Save()
			}
		})
	}
	wg.Wait()
	want(t, headcache.New(at), keys[0], "fact 0")
	left, err := os.ReadDir(filepath.Dir(at))
	if err != nil || len(left) != 1 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}

func BenchmarkLoad(b *testing.B) {
	dir := b.TempDir()
	at := headcache.Path(dir, "dsh", "/root")
	c := headcache.New(at)
	for i := range 10_000 {
		c.Put(headcache.Key{
			Path: fmt.Sprintf("/home/dev/.dsh/sessions/--home-dev-api-server--/session-%08d-4dde-4836-a500-410534de69bb/session.v4.jsonl.zstd", i),
			Size: 1000, Mtime: 1, Ctime: 1, Inode: uint64(i),
		}, `["session-75cc975d-4dde-4836-a500-410534de69bb","/home/dev/api-server",1796091798696,"",true,"A title of some words"]`)
	}
	c.Save()
	b.ReportAllocs()
	for b.Loop() {
		if _, ok := headcache.New(at).Get(headcache.Key{}); ok {
			b.Fatal()
		}
	}
}
