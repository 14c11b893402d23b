package headcache

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"io"
	"math"
	"os"
	"path/filepath"
	"time"
)

// The file is the magic, the number of facts, then for each its path, value and
// numbers, then the SHA-256 of all that. Lengths and numbers are varints.
const magic = "dsh heads 2\n"

// atRest is how long a file must have been at rest when a fact was learnt of it for
// the fact to be believed. Clock ticks are milliseconds, but some file systems keep
// seconds, or two.
const atRest = 3 * time.Second

// load reads the file, once. The lock is held.
func (c *Cache) load() {
	if c.loaded {
		return
	}
	c.loaded = true
	c.facts = make(map[string]fact)
	if c.file == "" {
		return
	}
	f, err := os.Open(c.file)
	if err != nil {
		return
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil || !info.Mode().IsRegular() || info.Size() > maxFile {
		return
	}
	data := make([]byte, info.Size()) // it is replaced, never changed
	if _, err := io.ReadFull(f, data); err != nil {
		return
	}
	// The file is new when it is written, so its own time is when that was, by the
	// clock that the times in it are from.
	if facts, ok := decode(data, info.ModTime().UnixNano()); ok {
		c.facts = facts
	}
}

// decode reads a file that was written at the given time.
func decode(data []byte, written int64) (map[string]fact, bool) {
	n := len(data) - sha256.Size
	if n < len(magic) || string(data[:len(magic)]) != magic {
		return nil, false
	}
	if sum := sha256.Sum256(data[:n]); !bytes.Equal(sum[:], data[n:]) {
		return nil, false
	}
	r := reader{rest: string(data[len(magic):n])}
	facts := make(map[string]fact, min(r.uint(), maxFacts))
	for r.rest != "" && !r.failed {
		f := fact{key: Key{Path: r.text()}, value: r.text()}
		k := &f.key
		k.Size, k.Mtime, k.Ctime = int64(r.uint()), int64(r.uint()), int64(r.uint())
		k.Inode, k.Device = r.uint(), r.uint()
		if age := r.uint(); age > 0 {
			learnt := written - int64(min(age, math.MaxInt64/2))
			f.trusted = max(k.Mtime, k.Ctime) < learnt-int64(atRest)
		} else {
			f.trusted = true
		}
		facts[k.Path] = f
	}
	return facts, !r.failed
}

type reader struct {
	rest   string
	failed bool
}

func (r *reader) uint() uint64 {
	var n uint64
	for i := range min(len(r.rest), binary.MaxVarintLen64) {
		c := r.rest[i]
		n |= uint64(c&0x7F) << (7 * i)
		if c < 0x80 {
			r.rest = r.rest[i+1:]
			return n
		}
	}
	r.failed, r.rest = true, ""
	return 0
}

func (r *reader) text() string {
	n := r.uint()
	if n > uint64(len(r.rest)) {
		r.failed, r.rest = true, ""
		return ""
	}
	s := r.rest[:n]
	r.rest = r.rest[n:]
	return s
}

func (c *Cache) encode() []byte {
	out := append(make([]byte, 0, 256*len(c.facts)), magic...)
	out = binary.AppendUvarint(out, uint64(len(c.facts)))
	text := func(s string) { out = append(binary.AppendUvarint(out, uint64(len(s))), s...) }
	for _, f := range c.facts {
		if !f.trusted {
			continue
		}
		text(f.key.Path)
		text(f.value)
		// The age of a fact, at least 1; 0 says that it was at rest when it was learnt.
		age := uint64(0)
		if !f.learnt.IsZero() {
			age = 1 + uint64(max(0, time.Since(f.learnt)))
		}
		for _, n := range [...]uint64{
			uint64(f.key.Size), uint64(f.key.Mtime), uint64(f.key.Ctime), f.key.Inode, f.key.Device, age,
		} {
			out = binary.AppendUvarint(out, n)
		}
	}
	sum := sha256.Sum256(out)
	return append(out, sum[:]...)
}

// save replaces the file. The lock is held.
func (c *Cache) save() {
	if c.file == "" || c.unsaved == 0 {
		return
	}
	c.unsaved = 0
	data := c.encode()
	dir := filepath.Dir(c.file)
	if len(data) > maxFile || os.MkdirAll(dir, 0o700) != nil {
		return
	}
	tmp, err := os.CreateTemp(dir, "new-*")
	if err != nil {
		return
	}
	_, err = tmp.Write(data)
	if e := tmp.Close(); err == nil {
		err = e
	}
	if err == nil {
		err = os.Rename(tmp.Name(), c.file)
	}
	if err != nil {
		os.Remove(tmp.Name())
	}
}
