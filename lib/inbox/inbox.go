package inbox

import (
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/dsh-toolkit/dsh/lib/fault"
	"github.com/dsh-toolkit/dsh/lib/jstext"
)

// The rules that a *fault.Error of this package may name.
const (
	RuleMalformed = "inbox-malformed"    // the draft is not a message (Usage)
	RuleConflict  = "inbox-id-taken"     // another message has this id (Usage)
	RuleDriven    = "inbox-driven"       // another driver runs (Unexpected)
	RuleNoRecord  = "inbox-no-record"    // nothing of that id is waiting or claimed (Reference)
	RuleDamaged   = "inbox-damaged"      // a file that is no record (Damaged)
	RuleFormat    = "inbox-newer-format" // made by a newer version (Unsupported)
)

const (
	format     = 1
	formatFile = "queue.json"
)

// Options says what an inbox takes from outside.
type Options struct {
	Now   func() time.Time // required
	NewID func() string    // an id that no record has; nil: a random UUID
	Keep  int              // how many finished records each target keeps, by number; 0: 1000
}

// Inbox is a directory of queues. It holds nothing open; its methods may be
// called at the same time, also from other processes.
type Inbox struct {
	dir   string
	o     Options
	swept sync.Map              // the targets whose tmp has been looked through
	probe func(op string) error // tests: called before each operation on the disk
}

// Open returns the inbox in a directory. It is made, 0700 with all that is missing
// above it, when the first record comes.
func Open(dir string, o Options) (*Inbox, error) {
	if !filepath.IsAbs(dir) {
		return nil, &fault.Error{
			Kind: fault.Usage, Code: fault.UsageCode,
			Subject: "inbox", Message: fmt.Sprintf("%s is not an absolute path", fault.Quote(dir)),
		}
	}
	if o.NewID == nil {
		o.NewID = newUUID
	}
	if o.Keep <= 0 {
		o.Keep = 1000
	}
	return &Inbox{dir: filepath.Clean(dir), o: o}, nil
}

// newUUID is a random UUID, version 4.
func newUUID() string {
	var b [16]byte
	_, _ = rand.Read(b[:]) // never fails
	b[6], b[8] = b[6]&0x0F|0x40, b[8]&0x3F|0x80
	h := hex.EncodeToString(b[:])
	return strings.Join([]string{h[:8], h[8:12], h[12:16], h[16:20], h[20:]}, "-")
}

// open opens a target's queue and makes what is missing of it.
func (b *Inbox) open(to string) (*queue, error) {
	dir, err := checkTarget(to)
	if err != nil {
		return nil, err
	}
	q, err := b.openQueue(to, dir)
	if errors.Is(err, fs.ErrNotExist) {
		if err = b.create(to, dir); err == nil {
			q, err = b.openQueue(to, dir)
		}
	}
	return q, err
}

// openIfThere is open without making anything: nil where there is no queue.
func (b *Inbox) openIfThere(to string) (*queue, error) {
	dir, err := checkTarget(to)
	if err != nil {
		return nil, err
	}
	q, err := b.openQueue(to, dir)
	if errors.Is(err, fs.ErrNotExist) && fault.KindOf(err) != fault.Damaged {
		return nil, nil
	}
	return q, err
}

func checkTarget(to string) (dir string, err error) {
	if at := jstext.InvalidAt(to); at >= 0 {
		return "", malformed("to", "not UTF-8 at byte %d", at)
	}
	return targetDir(to)
}

// openQueue opens a queue that is complete. One that is not yet there is
// fs.ErrNotExist; one that has lost a directory is Damaged too.
func (b *Inbox) openQueue(to, dir string) (*queue, error) {
	box, err := b.openRoot()
	if err != nil {
		return nil, ioError("open", b.dir, err)
	}
	defer box.Close()
	q, err := b.openTarget(box, to, dir)
	if err != nil {
		return nil, err
	}
	if err := q.checkFormat(); err != nil {
		q.close()
		return nil, err
	}
	return q, nil
}

func (b *Inbox) openRoot() (*os.Root, error) {
	return openDir(
		func() (fs.FileInfo, error) { return os.Lstat(b.dir) },
		func() (*os.Root, error) { return os.OpenRoot(b.dir) },
	)
}

func (b *Inbox) openTarget(box *os.Root, to, dir string) (*queue, error) {
	path := filepath.Join(b.dir, dir)
	root, err := openDir(
		func() (fs.FileInfo, error) { return box.Lstat(dir) },
		func() (*os.Root, error) { return box.OpenRoot(dir) },
	)
	if err != nil {
		return nil, ioError("open", path, err)
	}
	return &queue{box: b, to: to, path: path, root: root}, nil
}

// checkFormat reports whether the directory is a whole queue of this target, which
// on a file system that folds case another's can be in the place of.
func (q *queue) checkFormat() error {
	text, err := q.readText(formatFile)
	if err != nil {
		return err
	}
	bad := &fault.Error{Subject: strconv.Quote(filepath.Join(q.path, formatFile)), Code: fault.Failed}
	v, err := jstext.Parse(text)
	to, ok := v.Get("to").Text()
	n, okFormat := v.Get("format").Int()
	switch {
	case err != nil || !ok || !okFormat:
		bad.Kind, bad.Rule, bad.Message = fault.Damaged, RuleDamaged, "not the head of a queue"
	case n != format:
		bad.Kind, bad.Rule = fault.Unsupported, RuleFormat
		bad.Message = fmt.Sprintf("format %d is not what this version knows (%d)", n, format)
	case to != q.to:
		bad.Kind, bad.Rule = fault.Damaged, RuleDamaged
		bad.Message = fmt.Sprintf("the queue of %s, not of %s", fault.Quote(to), fault.Quote(q.to))
	default:
		return q.checkDirs()
	}
	return bad
}

func (q *queue) checkDirs() error {
	for _, dir := range [...]string{tmpDir, newDir, curDir, doneDir} {
		info, err := q.root.Lstat(dir)
		if err == nil && !info.IsDir() {
			err = errLink
		}
		if err != nil {
			f := fault.Of(ioError("open", filepath.Join(q.path, dir), err))
			if errors.Is(err, fs.ErrNotExist) {
				f.Kind, f.Rule = fault.Damaged, RuleDamaged
			}
			return f
		}
	}
	return nil
}

func formatText(to string) string {
	var w jstext.Writer
	w.BeginObject()
	w.Key("format")
	w.Int(format)
	w.Key("to")
	w.Text(to)
	w.EndObject()
	return w.String() + "\n"
}
