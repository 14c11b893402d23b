package main

import (
	"errors"
	"fmt"
	"log"
	"os"
	"time"
)

// row is one line of the table.
type row struct {
	work   string
	ours   side
	beside side
	// judge turns the medians into the ratio, the goal and whether it is met.
	judge func(ours, beside sample) (ratio, goal string, ok bool)
}

func (r row) measure() bool {
	a, b, err := alternate(r.ours, r.beside)
	if err != nil {
		log.Printf("%s: %v", r.work, err)
		return false
	}
	ratio, goal, ok := r.judge(a, b)
	mark := "ok"
	if !ok {
		mark = "**missed**"
	}
	fmt.Printf("| %s | %s | %s | %s | %s | %s |\n", r.work, ms(a.wall), ms(b.wall), ratio, goal, mark)
	return ok
}

func ms(d time.Duration) string { return fmt.Sprintf("%.1f ms", float64(d)/float64(time.Millisecond)) }

// atMost judges by the ratio of the times.
func atMost(limit float64) func(a, b sample) (string, string, bool) {
	return func(a, b sample) (string, string, bool) {
		r := float64(a.wall) / float64(b.wall)
		return fmt.Sprintf("%.2f×", r), fmt.Sprintf("≤ %g×", limit), r <= limit
	}
}

// under judges our time alone.
func under(limit time.Duration) func(a, b sample) (string, string, bool) {
	return func(a, _ sample) (string, string, bool) { return "–", "< " + ms(limit), a.wall < limit }
}

// rssOver judges our peak memory against the size of what we print.
func rssOver(s side, limit int64) func(a, b sample) (string, string, bool) {
	return func(a, _ sample) (string, string, bool) {
		out, err := s.outputSize()
		if err != nil {
			return err.Error(), "", false
		}
		over := a.rss - out
		return fmt.Sprintf("%d MiB over %d MiB printed", over>>20, out>>20), fmt.Sprintf("≤ %d MiB over", limit>>20), over <= limit
	}
}

// twiceAnd judges by twice the time beside ours and what a start may cost more.
func twiceAnd(start time.Duration) func(a, b sample) (string, string, bool) {
	return func(a, b sample) (string, string, bool) {
		goal := fmt.Sprintf("≤ 2× + %d ms", start.Milliseconds())
		return fmt.Sprintf("%.2f×", float64(a.wall)/float64(b.wall)), goal, a.wall <= 2*b.wall+start
	}
}

// plainPrompt is what Claude Code 2.1.197 gives its hook of a prompt that mentions
// nothing.
const plainPrompt = `{"session_id":"0c0ffee0-0000-4000-8000-0000000000aa","transcript_path":"/home/dev/.claude/projects/-home-dev/0c0ffee0-0000-4000-8000-0000000000aa.jsonl","cwd":"/home/dev","prompt_id":"p","permission_mode":"default","hook_event_name":"UserPromptSubmit","prompt":"Fix the retries in the client, please, and run the tests."}`

func rows() []row {
	raw := side{args: []string{tool("dsh-surface"), file("big.jsonl")}}
	packed := side{args: []string{tool("dsh-surface"), file("big.jsonl.zstd")}}
	chat := func(name string) side {
		return side{args: []string{tool("dsh-ref"), "--store", file(name), "--ref", "bench-session", "go on"}}
	}
	warm := []string{"XDG_CACHE_HOME=" + file("cache")}
	list := side{args: []string{tool("dsh-surface"), "--store", file("many"), "--list", "--limit", "0"}, env: warm}
	uncached := list
	uncached.setup = func() error { return os.RemoveAll(file("cache")) }
	cold := uncached
	cold.setup = func() error { return errors.Join(uncached.setup(), evict(file("many"))) }
	find := side{args: []string{"find", file("many"), "-name", "*.jsonl", "-exec", "head", "-q", "-c", "4096", "{}", "+"}}
	coldFind := find
	coldFind.setup = func() error { return evict(file("many")) }
	query := side{args: []string{tool("dsh-surface"), "--store", file("heavy"), "--list", "--query", "title of session-00123"}, env: warm}
	hook := side{args: []string{tool("dsh-ref"), "hook", "claude"}, stdin: plainPrompt}
	nothing := side{args: []string{"true"}}
	wc := side{args: []string{"wc", "-l", file("big.jsonl")}}
	zstdcat := side{args: []string{"zstd", "-dcq", file("big.jsonl.zstd")}}
	return []row{
		{"`dsh-surface`, 256 MB raw log; beside it `wc -l`", raw, wc, atMost(3)},
		{"the same log in zstd frames; beside it `zstd -dc`", packed, zstdcat, atMost(1.2)},
		{"peak memory, raw", raw, nothing, rssOver(raw, 64<<20)},
		{"peak memory, zstd", packed, nothing, rssOver(packed, 64<<20)},
		{"`dsh-ref`, 8 MB chat", chat("chat8"), nothing, under(150 * time.Millisecond)},
		{"`dsh-ref`, 80 MB chat; beside it the 8 MB one", chat("chat80"), chat("chat8"), atMost(12)},
		{"`dsh-surface --list`, 10,000 sessions, warm; beside it `find` reading 4 KiB each", list, find, atMost(3)},
		{"the same without our cache", uncached, find, atMost(10)},
		{"the same, and the files not in the page cache", cold, coldFind, atMost(10)},
		{"query over 2,000 sessions of 6 GB, second time", query, nothing, under(50 * time.Millisecond)},
		{"`dsh-uri encode x`; beside it `true`", side{args: []string{tool("dsh-uri"), "encode", "x"}}, nothing, twiceAnd(3 * time.Millisecond)},
		{"`dsh-ref hook claude`, a prompt without a mention; beside it `true`", hook, nothing, twiceAnd(5 * time.Millisecond)},
	}
}
