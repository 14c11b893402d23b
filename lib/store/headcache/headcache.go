package headcache

import (
	"crypto/sha256"
	"encoding/hex"
	"io/fs"
	"path/filepath"
	"sync"
	"time"
)

// Key is a file as it was when something was learnt of it.
type Key struct {
	Path   string
	Size   int64
	Mtime  int64  // ns since the epoch
	Ctime  int64  // ns since the epoch; 0 where there is none
	Inode  uint64 // 0 where there is none
	Device uint64
}

// KeyOf is the key of the file at path, of which info is the state.
func KeyOf(path string, info fs.FileInfo) Key {
	k := Key{Path: path, Size: info.Size(), Mtime: info.ModTime().UnixNano()}
	k.addSystem(info)
	return k
}

// Path is the file that the cache for a store's root is kept in, below dir.
func Path(dir, kind, root string) string {
	sum := sha256.Sum256([]byte(root))
	return filepath.Join(dir, "heads", kind+"-"+hex.EncodeToString(sum[:])[:16])
}

const (
	// maxFacts and maxFile bound what is kept and read.
	maxFacts = 100_000
	maxFile  = 64 << 20
	// saveEvery is how many new facts are worth writing the file at once.
	saveEvery = 2000
)

// Cache holds facts. It is safe for concurrent use.
type Cache struct {
	file string

	mu      sync.Mutex
	loaded  bool
	facts   map[string]fact
	unsaved int
}

type fact struct {
	key     Key
	value   string
	seen    bool // asked for or learnt since the cache was loaded
	trusted bool
	learnt  time.Time // zero: by another program
}

// New is the cache in the given file; empty: facts are kept in memory alone. It
// reads nothing yet.
func New(file string) *Cache { return &Cache{file: file} }

// Get returns what was put under exactly this key.
func (c *Cache) Get(k Key) (string, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.load()
	f, ok := c.facts[k.Path]
	if !ok {
		return "", false
	}
	f.seen = true
	c.facts[k.Path] = f
	return f.value, f.trusted && f.key == k
}

// Put keeps a value under a key. The value of an older state of the file is
// forgotten.
func (c *Cache) Put(k Key, value string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.load()
	if _, known := c.facts[k.Path]; !known && len(c.facts) >= maxFacts {
		return
	}
	c.facts[k.Path] = fact{key: k, value: value, seen: true, trusted: true, learnt: time.Now()}
	if c.unsaved++; c.unsaved >= saveEvery {
		c.save()
	}
}

// Prune forgets every file that was neither asked for nor learnt of since the cache
// was loaded: the caller has looked at all that there are.
func (c *Cache) Prune() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.load()
	for path, f := range c.facts {
		if !f.seen {
			delete(c.facts, path)
			c.unsaved++
		}
	}
}

// Save writes the file if there is anything new. There is no error: a cache that
// cannot be written is none.
func (c *Cache) Save() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.save()
}
