package inbox

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"strconv"
	"strings"

	"github.com/dsh-toolkit/dsh/lib/jstext"
	"github.com/dsh-toolkit/dsh/lib/store/dshlog/diskname"
)

// The directories of a queue.
const (
	tmpDir  = "tmp"
	newDir  = "new"
	curDir  = "cur"
	doneDir = "done"
)

const (
	plainMax    = 200 // longest name of a target that is only its encoded id
	prefixLen   = 150 // what a longer one keeps of it
	keyLen      = 32
	seqWidth    = 16 // jstext.MaxSafeInt has 16 digits
	abortSuffix = ".abort"
	droppedEnd  = ".dropped.json"
)

// targetDir is the name of a target's directory. No two targets share one.
func targetDir(to string) (string, error) {
	plain, err := diskname.EncodeID(to)
	if err != nil {
		return "", malformed("to", "the empty id names no queue")
	}
	if len(plain) <= plainMax {
		return plain, nil
	}
	// A tilde of an encoded id is followed by a hex digit, so this is no other's.
	sum := sha256.Sum256([]byte(to))
	return plain[:prefixLen] + "~~" + hex.EncodeToString(sum[:]), nil
}

// keyOf is the part of a file name that stands for a record's id.
func keyOf(id string) string {
	sum := sha256.Sum256([]byte(id))
	return hex.EncodeToString(sum[:])[:keyLen]
}

// ident tells the records of a queue apart. Numbers alone do, but for a disk that
// was pulled out before the number in use had reached it.
type ident struct {
	seq int64
	key string
}

// name is what a record's file name says.
type name struct {
	ident
	kind     Kind
	attempts int
	dropped  bool
	dir      string // where it is; not part of the name
}

func (n name) String() string {
	end := ".json"
	if n.dropped {
		end = droppedEnd
	}
	return seqText(n.seq) + "." + string(n.kind) + "." + n.key + "." + strconv.Itoa(n.attempts) + end
}

// path is the file below the queue.
func (n name) path() string { return n.dir + "/" + n.String() }

// in is the name of the same record in another directory.
func (n name) in(dir string) name {
	n.dir = dir
	return n
}

func (n name) state() State {
	switch {
	case n.dropped:
		return Dropped
	case n.dir == doneDir:
		return Done
	case n.dir == curDir:
		return Claimed
	}
	return Waiting
}

func inOrder(a, b name) int {
	return cmp.Or(cmp.Compare(a.seq, b.seq), cmp.Compare(a.key, b.key))
}

func seqText(seq int64) string {
	digits := strconv.FormatInt(seq, 10)
	return strings.Repeat("0", max(0, seqWidth-len(digits))) + digits
}

// abortMark is the file that asks a driver to abort the record's turn.
func abortMark(id ident) string { return curDir + "/" + seqText(id.seq) + "." + id.key + abortSuffix }

// parseName reads the name of a file in dir; ok is false for names that are not
// ours.
func parseName(dir, file string) (n name, ok bool) {
	parts := strings.Split(file, ".")
	if len(parts) < 5 || len(parts[2]) != keyLen {
		return name{}, false
	}
	seq, err1 := strconv.ParseInt(parts[0], 10, 64)
	attempts, err2 := strconv.Atoi(parts[3])
	if err1 != nil || err2 != nil || seq < 0 || seq > jstext.MaxSafeInt || attempts < 0 {
		return name{}, false
	}
	if _, err := hex.DecodeString(parts[2]); err != nil || strings.ToLower(parts[2]) != parts[2] {
		return name{}, false
	}
	n = name{ident: ident{seq, parts[2]}, kind: Kind(parts[1]), attempts: attempts, dir: dir}
	n.dropped = dir == doneDir && strings.HasSuffix(file, droppedEnd)
	known := n.kind == Send || n.kind == Steer || n.kind == Inject
	return n, known && n.String() == file // every record has one name
}
