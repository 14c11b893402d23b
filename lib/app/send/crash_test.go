package send_test

import (
	"context"
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
	"github.com/dsh-toolkit/dsh/lib/jstext"
)

const (
	crashWriters = 8
	crashEach    = 125
)

// The program itself is killed by SIGKILL at random moments of 1,000 messages
// from 8 writers. Each message is sent until it is acknowledged, half of the
// writers with an id of their own. Nothing that was acknowledged is lost, nothing
// with an id is there twice, each writer's messages are in order, and every file
// is whole. DSH_CRASH_SEED repeats the moments.
func TestKilledProgram(t *testing.T) {
	seed := uint64(time.Now().UnixNano())
	if s := os.Getenv("DSH_CRASH_SEED"); s != "" {
		var err error
		if seed, err = strconv.ParseUint(s, 10, 64); err != nil {
			t.Fatal(err)
		}
	}
	t.Logf("DSH_CRASH_SEED=%d", seed)
	program := build(t)
	stateHome := memoryDir(t)
	writers := make([]*crashWriter, crashWriters)
	var all sync.WaitGroup
	for w := range writers {
		writers[w] = &crashWriter{
			t: t, program: program, stateHome: stateHome, name: w, keyed: w%2 == 0,
			random: rand.New(rand.NewPCG(seed, uint64(w))),
		}
		all.Go(writers[w].run)
	}
	all.Wait()
	kills := 0
	for _, w := range writers {
		kills += w.kills
	}
	t.Logf("%d runs were killed", kills)
	if kills < 50 {
		t.Error("too few to mean anything")
	}
	checkCrashed(t, stateHome, writers)
}

// memoryDir is a temporary directory in memory, where there is such a place: what a
// killed process leaves is the same there, and flushing takes no time.
func memoryDir(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("/dev/shm", "dsh-send-test-*")
	if err != nil {
		return t.TempDir()
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	return dir
}

// build makes the real binary, without what the test binary is instrumented with.
func build(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "dsh-send")
	if out, err := exec.Command("go", "build", "-o", path, "../../../cmd/dsh-send").CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}
	return path
}

type crashWriter struct {
	t                  *testing.T
	program, stateHome string
	name               int
	keyed              bool
	random             *rand.Rand
	kills              int
	acked              [crashEach]string // the id of each message
	typical            time.Duration     // of a run that nobody killed
}

func (w *crashWriter) run() {
	w.typical = 20 * time.Millisecond
	for i := range crashEach {
		for tries := 0; w.acked[i] == ""; tries++ {
			if tries == 20 {
				w.t.Errorf("writer %d cannot send message %d", w.name, i)
				return
			}
			w.acked[i] = w.send(i, tries)
		}
	}
}

// send runs the program once and returns the id of the record that it printed
// whole. Every third run is killed, at a moment somewhere in its life.
func (w *crashWriter) send(i, tries int) (id string) {
	args := []string{"--to", "target", "-m", w.text(i)}
	if w.keyed {
		args = append(args, "--id", w.text(i))
	}
	cmd := exec.Command(w.program, args...)
	cmd.Env = []string{"XDG_STATE_HOME=" + w.stateHome}
	cmd.Stderr = os.Stderr
	var out strings.Builder
	cmd.Stdout = &out
	doomed, moment := w.random.IntN(3) == 0 && tries < 5, w.random.Float64()
	began := time.Now()
	if err := cmd.Start(); err != nil {
		w.t.Error(err)
		return ""
	}
	if doomed {
		after := time.AfterFunc(time.Duration(moment*float64(w.typical)), func() { _ = cmd.Process.Kill() })
		defer after.Stop()
	}
	err := cmd.Wait()
	var exit *exec.ExitError
	switch {
	case errors.As(err, &exit) && exit.Sys().(syscall.WaitStatus).Signal() == syscall.SIGKILL:
		w.kills++
	case err != nil:
		w.t.Errorf("writer %d: %v", w.name, err)
	default:
		w.typical = (3*w.typical + time.Since(began)) / 4
	}
	// A line that was printed is an acknowledgement, whatever came after.
	line, ok := strings.CutSuffix(out.String(), "\n")
	if !ok {
		return ""
	}
	v, err := jstext.Parse(line)
	if err != nil {
		w.t.Errorf("writer %d printed %q", w.name, line)
	}
	id, _ = v.Get("id").Text()
	return id
}

func (w *crashWriter) text(i int) string { return fmt.Sprintf("%d-%03d", w.name, i) }

func checkCrashed(t *testing.T, stateHome string, writers []*crashWriter) {
	t.Helper()
	box, err := inbox.Open(filepath.Join(stateHome, "dsh-toolkit", "inbox"), inbox.Options{Now: time.Now})
	if err != nil {
		t.Fatal(err)
	}
	records, err := box.List(context.Background(), "target")
	if err != nil {
		t.Fatal(err)
	}
	at := make(map[string]int)       // where the record of an id is
	copies := make(map[string][]int) // where those of a text are
	seq := int64(-1)
	for i, r := range records {
		if r.Seq <= seq {
			t.Errorf("seq %d after %d", r.Seq, seq)
		}
		seq = r.Seq
		text := ""
		for b := range r.Content.Elements() {
			text, _ = b.Get("text").Text()
		}
		at[r.ID] = i
		copies[text] = append(copies[text], i)
	}
	for _, w := range writers {
		last := -1
		for i, id := range w.acked {
			place, ok := at[id]
			switch {
			case !ok:
				t.Errorf("%s (%s) was acknowledged and is lost", w.text(i), id)
			case place <= last:
				t.Errorf("%s is before what was sent before it", w.text(i))
			case w.keyed && len(copies[w.text(i)]) != 1:
				t.Errorf("%s is there %d times", w.text(i), len(copies[w.text(i)]))
			}
			last = place
		}
	}
	if len(copies) != crashWriters*crashEach {
		t.Errorf("%d messages, want %d", len(copies), crashWriters*crashEach)
	}
	driver, err := box.Drive(context.Background(), "target")
	if err != nil {
		t.Fatal(err)
	}
	defer driver.Close()
	if files, err := os.ReadDir(filepath.Join(stateHome, "dsh-toolkit", "inbox", "target", "tmp")); err != nil || len(files) != 0 {
		t.Errorf("left in tmp: %v, %v", files, err)
	}
}
