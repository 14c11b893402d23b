package inbox

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/dsh-toolkit/dsh/lib/jstext"
)

const lockFile = "lock"

// held is a queue whose names nobody else changes now.
type held struct {
	*queue
	f *os.File
}

// lock waits for the queue's lock. It is held for microseconds, so waiting is
// asking again; a holder that was stopped can be waited for until ctx is done.
func (q *queue) lock(ctx context.Context) (*held, error) {
	return q.flock(ctx, os.O_RDWR|os.O_CREATE, false)
}

// lockShared is lock for a reader, who may not be allowed to write.
func (q *queue) lockShared(ctx context.Context) (*held, error) {
	return q.flock(ctx, os.O_RDONLY, true)
}

func (q *queue) flock(ctx context.Context, flag int, shared bool) (*held, error) {
	h := &held{queue: q}
	err := q.do("lock", lockFile, func() (err error) {
		h.f, err = q.openFile(lockFile, flag)
		return err
	})
	if err != nil {
		return nil, err
	}
	for wait := 20 * time.Microsecond; ; wait = min(2*wait, 2*time.Millisecond) {
		taken, err := tryFlock(h.f, shared)
		if err == nil && !taken {
			return h, nil
		}
		if err == nil {
			err = sleep(ctx, wait)
		} else {
			err = ioError("lock", filepath.Join(q.path, lockFile), err)
		}
		if err != nil {
			h.unlock()
			return nil, err
		}
	}
}

func (h *held) unlock() { h.f.Close() }

// sleep waits for d, or returns the cause of ctx's end.
func sleep(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-t.C:
		return nil
	}
}

// next allots a sequence number. It is never given again, also where the record
// that it was for does not come to be.
func (h *held) next() (int64, error) {
	c := readCounter(h.f)
	if boot := bootID(); !c.ok || boot == "" || c.boot != boot {
		// What was written last may not be what is on disk.
		names, err := h.names(newDir, curDir, doneDir)
		if err != nil {
			return 0, err
		}
		if len(names) > 0 {
			c.next = max(c.next, names[len(names)-1].seq+1)
		}
	}
	seq := c.next
	if seq >= jstext.MaxSafeInt {
		return 0, ioError("number", filepath.Join(h.path, lockFile), fmt.Errorf("no number is left after %d", seq))
	}
	err := h.do("write", lockFile, func() error {
		_, err := h.f.WriteAt([]byte(counter{next: seq + 1, boot: bootID()}.String()), 0)
		return err
	})
	return seq, err
}

// counter is the content of the lock file: "0000000000000013 BOOTID\n".
type counter struct {
	next int64
	boot string // "-" where it is not known
	ok   bool
}

func (c counter) String() string {
	if c.boot == "" {
		c.boot = "-"
	}
	return seqText(c.next) + " " + c.boot + "\n"
}

// readCounter reads what is there; anything else is the zero counter.
func readCounter(f *os.File) counter {
	var buf [128]byte
	n, err := f.ReadAt(buf[:], 0)
	if err != nil && err != io.EOF {
		return counter{}
	}
	line, _, ended := strings.Cut(string(buf[:n]), "\n")
	digits, boot, _ := strings.Cut(line, " ")
	next, err := strconv.ParseInt(digits, 10, 64)
	if !ended || err != nil || len(digits) != seqWidth || next < 0 || next > jstext.MaxSafeInt {
		return counter{}
	}
	return counter{next: next, boot: boot, ok: true}
}
