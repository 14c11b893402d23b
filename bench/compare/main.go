// Command compare runs the toolkit and the tools it is measured against in turn,
// on the same data, and prints medians and their ratios as a Markdown table. See
// bench/run, which makes the data and the programs.
package main

import (
	"bytes"
	"flag"
	"fmt"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"time"
)

var (
	bin  = flag.String("bin", "bin", "folder of the programs")
	data = flag.String("data", "bench/data", "folder of the data")
	runs = flag.Int("runs", 9, "runs of each side")
	only = flag.String("only", "", "only the rows whose work matches this `REGEXP`")
)

func main() {
	log.SetFlags(0)
	log.SetPrefix("compare: ")
	flag.Parse()
	var err error
	if *data, err = filepath.Abs(*data); err != nil { // a relative XDG_CACHE_HOME does not count
		log.Fatal(err)
	}
	fmt.Println("| work | ours | beside it | ratio | goal | |")
	fmt.Println("| --- | --- | --- | --- | --- | --- |")
	failed := false
	wanted, err := regexp.Compile(*only)
	if err != nil {
		log.Fatal(err)
	}
	for _, row := range rows() {
		if !wanted.MatchString(row.work) {
			continue
		}
		failed = !row.measure() || failed
	}
	if failed {
		os.Exit(1)
	}
}

// side is one command of a comparison.
type side struct {
	args  []string
	env   []string
	stdin string
	setup func() error // before each run, not measured
}

// sample is the medians of a side.
type sample struct {
	wall time.Duration
	rss  int64 // bytes, peak
}

func (s side) run() (sample, error) {
	if s.setup != nil {
		if err := s.setup(); err != nil {
			return sample{}, err
		}
	}
	cmd := exec.Command(s.args[0], s.args[1:]...)
	cmd.Env = append(os.Environ(), s.env...)
	if s.stdin != "" {
		cmd.Stdin = strings.NewReader(s.stdin)
	}
	stderr := &bytes.Buffer{}
	cmd.Stderr = stderr
	null, err := os.OpenFile(os.DevNull, os.O_WRONLY, 0)
	if err != nil {
		return sample{}, err
	}
	defer null.Close()
	cmd.Stdout = null
	start := time.Now()
	err = cmd.Run()
	wall := time.Since(start)
	if err != nil {
		return sample{}, fmt.Errorf("%q: %w: %s", s.args, err, stderr)
	}
	usage := cmd.ProcessState.SysUsage().(*syscall.Rusage)
	return sample{wall, int64(usage.Maxrss) << 10}, nil
}

type counter int64

func (c *counter) Write(p []byte) (int, error) { *c += counter(len(p)); return len(p), nil }

// outputSize is how much a side prints.
func (s side) outputSize() (int64, error) {
	var c counter
	cmd := exec.Command(s.args[0], s.args[1:]...)
	cmd.Env = append(os.Environ(), s.env...)
	cmd.Stdout = &c
	err := cmd.Run()
	return int64(c), err
}

// alternate runs both sides in turn, so that a slow moment of the machine meets
// both, and returns their medians.
func alternate(a, b side) (sample, sample, error) {
	var as, bs []sample
	for i := range *runs + 1 {
		x, err := a.run()
		if err != nil {
			return sample{}, sample{}, err
		}
		y, err := b.run()
		if err != nil {
			return sample{}, sample{}, err
		}
		if i > 0 { // the first pair warms the caches
			as, bs = append(as, x), append(bs, y)
		}
	}
	return median(as), median(bs), nil
}

func median(s []sample) sample {
	walls, rss := make([]time.Duration, len(s)), make([]int64, len(s))
	for i, x := range s {
		walls[i], rss[i] = x.wall, x.rss
	}
	slices.Sort(walls)
	slices.Sort(rss)
	return sample{wall: walls[len(walls)/2], rss: rss[len(rss)/2]}
}

func tool(name string) string { return filepath.Join(*bin, name) }
func file(name string) string { return filepath.Join(*data, name) }
