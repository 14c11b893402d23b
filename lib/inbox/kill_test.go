//go:build unix

package inbox_test

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/dsh-toolkit/dsh/lib/inbox"
)

const (
	killWriters = 8
	killEach    = 125 // messages of one writer
)

// Eight writers send 1,000 messages while a driver takes them; all nine are killed
// and started again and again, each before an operation on the disk that its seed
// says. Nothing that was acknowledged is lost, nothing is finished twice, and each
// writer's messages come in their order. DSH_CRASH_SEED repeats a run.
func TestKilledWritersAndDrivers(t *testing.T) {
	seed := uint64(time.Now().UnixNano())
	if s := os.Getenv("DSH_CRASH_SEED"); s != "" {
		seed = ready(strconv.ParseUint(s, 10, 64))
	}
	t.Logf("DSH_CRASH_SEED=%d", seed)
	dir := memoryDir(t)

	var writers sync.WaitGroup
	kills := make([]int, killWriters+1)
	for w := range killWriters {
		writers.Go(func() {
			random := rand.New(rand.NewPCG(seed, uint64(w)))
			for from := 0; from < killEach; {
				acked, killed := runWriter(t, dir, w, from, 1+random.IntN(300))
				from += acked
				if !killed && from < killEach {
					t.Errorf("writer %d ended at %d", w, from)
					return
				}
				kills[w]++
			}
		})
	}
	stopped := make(chan struct{})
	go func() {
		defer close(stopped)
		random := rand.New(rand.NewPCG(seed, killWriters))
		for runChild(t, "driver", dir, strconv.Itoa(1+random.IntN(400))) {
			kills[killWriters]++
		}
	}()
	writers.Wait()
	must(t, os.WriteFile(filepath.Join(dir, "no-more"), nil, 0o600))
	<-stopped
	t.Logf("starts of each writer, and kills of the driver: %v", kills)
	if kills[killWriters] < 5 || kills[0] < 3 {
		t.Error("too few were killed to mean anything")
	}
	checkFinished(t, filepath.Join(dir, "finished"))
	wantList(t, openKill(dir), "")
}

// openKill keeps what is finished for as long as an acknowledgement can be missing.
func openKill(dir string) *inbox.Inbox {
	return ready(inbox.Open(filepath.Join(dir, "inbox"), inbox.Options{Now: func() time.Time { return start }}))
}

// runWriter sends from one message on and returns how many were acknowledged.
func runWriter(t *testing.T, dir string, w, from, steps int) (acked int, killed bool) {
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), childEnv+"="+strings.Join([]string{
		"writer", dir, strconv.Itoa(w), strconv.Itoa(from), strconv.Itoa(steps),
	}, "\n"))
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	err := cmd.Run()
	var exit *exec.ExitError
	killed = errors.As(err, &exit) && exit.Sys().(syscall.WaitStatus).Signal() == syscall.SIGKILL
	if err != nil && !killed {
		t.Errorf("writer %d: %v\n%s", w, err, errs.Bytes())
	}
	return strings.Count(out.String(), "\n"), killed
}

// checkFinished reads what the drivers have finished, in their order.
func checkFinished(t *testing.T, path string) {
	t.Helper()
	f, err := os.Open(path)
	must(t, err)
	defer f.Close()
	next := make([]int, killWriters)
	total := 0
	for lines := bufio.NewScanner(f); lines.Scan(); total++ {
		var w, i int
		if _, err := fmt.Sscanf(lines.Text(), "%d-%d", &w, &i); err != nil {
			t.Fatalf("%q: %v", lines.Text(), err)
		}
		if i != next[w] {
			t.Errorf("writer %d: message %d was finished, want %d", w, i, next[w])
		}
		next[w] = i + 1
	}
	if total != killWriters*killEach {
		t.Errorf("%d messages were finished, want %d", total, killWriters*killEach)
	}
}

func init() {
	children["writer"] = func(args []string) { // dir, writer, first message, step
		box := openKill(args[0])
		dieAt(box, ready(strconv.Atoi(args[3])))
		for i := ready(strconv.Atoi(args[2])); i < killEach; i++ {
			// With the id that it has, a message that is sent again because its
			// acknowledgement never came is the same one.
			id := fmt.Sprintf("%s-%d", args[1], i)
			r := ready(box.Enqueue(ctx, inbox.Draft{To: "t", ID: id, Content: text(id)}))
			if r.ID != id {
				panic(r.ID)
			}
			fmt.Println(id)
		}
	}
	children["driver"] = func(args []string) { // dir, step
		box := openKill(args[0])
		dieAt(box, ready(strconv.Atoi(args[1])))
		finished := ready(os.OpenFile(filepath.Join(args[0], "finished"), os.O_RDWR|os.O_CREATE|os.O_APPEND, 0o600))
		d := ready(box.Drive(ctx, "t"))
		for {
			_, err := os.Lstat(filepath.Join(args[0], "no-more"))
			last := err == nil
			c := ready(d.TryNext(ctx))
			switch {
			case c != nil:
				work(finished, c)
			case last:
				return
			default:
				time.Sleep(time.Millisecond)
			}
		}
	}
}

// work does what an agent does: it looks whether the work on a record that was
// claimed before is in its log, and does it else.
func work(log *os.File, c *inbox.Claim) {
	line := c.Record.ID + "\n"
	if c.Record.Content.Raw() != text(c.Record.ID).Raw() {
		panic(c.Record.Content.Raw())
	}
	worked := false
	if c.Record.Attempts > 1 {
		b := ready(os.ReadFile(log.Name()))
		worked = bytes.HasSuffix(b, []byte("\n"+line)) || string(b) == line
		if !worked && bytes.Contains(b, []byte("\n"+line)) {
			panic("claimed again after another: " + c.Record.ID)
		}
	}
	if !worked {
		ready(log.WriteString(line))
	}
	if err := c.Done(); err != nil {
		panic(err)
	}
}
