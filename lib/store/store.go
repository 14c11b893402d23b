// Package store is what every place with sessions looks like from above: a list
// of entries, a look-up by id, and one exact reading.
//
// A reader for one agent's files is a package of its own below this one
// (store/dshlog, store/claude, …) that implements Store and is registered as a
// Format. This package resolves ids over several stores, and orders, ranks and
// filters listings; it opens no file itself.
package store

import (
	"context"
	"iter"

	"github.com/dsh-toolkit/dsh/lib/session"
)

// Entry is one listed session.
type Entry struct {
	ID        string  // as the toolkit names it: with the kind's prefix, none for dsh
	Title     *string // what the agent itself shows; nil: none or not looked up yet
	Cwd       *string // from the records; nil: none
	CreatedAt int64   // ms since the epoch
	UpdatedAt int64   // ms since the epoch
	Kind      string  // the store's kind
	Path      string  // the file (or database) it was found in
	Root      string  // Root of the store that listed it

	// OtherCwds are further directories that the session has been in, as far as the
	// listing saw them: a session is found by each of them.
	OtherCwds []string
	// CopiedFrom is the id of the session whose history this one begins with: a
	// fork, a resumed copy, a background copy. Empty: none that is known.
	CopiedFrom string
	Archived   bool // the agent itself has put it away
}

// Receipt says what one observation of a source was.
type Receipt struct {
	SessionID          string
	Path               string
	Store              string // the store's kind
	Format             string // e.g. "dsh v4 zstd", "claude jsonl"
	CapturedThroughSeq *int64
	BytesRead          int64
	SHA256             string   // of the bytes read, hex; empty unless it was asked for
	TornTail           int64    // bytes behind the last complete record that were left out
	DamagedRecords     int64    // complete records that were passed over as damaged, and what cannot be found of the conversation
	DroppedBranches    int64    // ends of conversation that a person left behind; see dsh-formats(5)
	Checkpoint         bool     // what is now was compacted: a checkpoint stands, or should stand, first
	SealedCheckpoint   bool     // its summary cannot be read (encrypted, or empty): the surface has none
	Lineage            string   // equal in two readings where one began as a copy of the other; empty: not known
	Notes              []string // what a person should be told, one line each
}

// Reading is one exact reading of one session.
type Reading struct {
	Surface *session.Surface
	Receipt Receipt
}

// ReadOptions changes how a session is read. The zero value is the usual reading.
type ReadOptions struct {
	Hash   bool // compute Receipt.SHA256
	Verify bool // check every record in full, also those that cannot matter
}

// Ref is one place where an id was found.
type Ref struct {
	ID   string // as in Entry.ID
	Path string
}

// Store is one place with sessions of one kind. Implementations are safe for
// concurrent use, never write to the place and take no lock on it.
type Store interface {
	// Kind is the agent's name and the prefix of its ids: "claude" makes
	// "claude:<uuid>". dsh's own ids have no prefix.
	Kind() string
	// Root is the directory or file that was opened.
	Root() string
	// List yields every session, in no order, without reading bodies. An error
	// names one file that cannot be listed and does not end the sequence.
	List(ctx context.Context) iter.Seq2[Entry, error]
	// Title completes a listed entry: the agent's own title for it, nil if it has
	// none. It may read the session's body, and may answer from a cache.
	Title(ctx context.Context, e Entry) (*string, error)
	// Lookup returns where an id (without the kind's prefix) is to be found: none,
	// one, or several when different files claim it.
	Lookup(ctx context.Context, id string) ([]Ref, error)
	// Read reads the session at ref exactly (SPEC 4). Errors are *fault.Error.
	Read(ctx context.Context, ref Ref, opts ReadOptions) (*Reading, error)
}

// Format is one kind of store, as the programs know it.
type Format struct {
	Kind string
	// Roots lists where this kind lives by default on this machine, by its own
	// environment variables and then its usual places; they need not exist.
	Roots func(env Env) []string
	// Open opens a root, which must exist. It reads nothing yet.
	Open func(root string, env Env) (Store, error)
	// Recognise reports whether a bare file with this name and these first bytes
	// (at most 64 KiB) is a session of this kind.
	Recognise func(name string, head []byte) bool
	// ReadFile reads one bare file, wherever it lies.
	ReadFile func(ctx context.Context, path string, opts ReadOptions) (*Reading, error)
}

// Env is what a format may ask of its surroundings, passed in so that tests can
// choose it.
type Env struct {
	Getenv   func(string) string
	Home     string // the user's home directory by the system's rule; empty: unknown
	CacheDir string // where droppable caches may be kept; empty: nowhere
	GOOS     string // runtime.GOOS
}
