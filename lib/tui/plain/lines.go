package plain

import (
	"context"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/dsh-toolkit/dsh/lib/termtext"
	"github.com/dsh-toolkit/dsh/lib/tui/candidate"
)

const help = `A line is a message. One that ends in a backslash goes on in the next.
/find WORDS  lists sessions; @1 in a message then mentions the first of them.
/again       sends the last message again, if it was not sent.
/cancel      cancels what is under way, as Ctrl-C does.
/show        prints the conversation.
/quit        leaves, as Ctrl-D does.
A message that begins with a slash is typed with two.`

// line takes what was typed and reports whether the person leaves.
func (h *host) line(line string) (leave bool) {
	if rest, more := strings.CutSuffix(line, `\`); more {
		h.draft = append(h.draft, rest)
		return false
	}
	if len(h.draft) > 0 {
		line = strings.Join(append(h.draft, line), "\n")
		h.draft = nil
	} else if strings.HasPrefix(line, "/") && !strings.HasPrefix(line, "//") {
		return h.command(line)
	}
	if rest, ok := strings.CutPrefix(line, "//"); ok {
		line = "/" + rest
	}
	h.submit(h.mentions(line))
	return false
}

func (h *host) command(line string) (leave bool) {
	name, args, _ := strings.Cut(line, " ")
	switch name {
	case "/quit":
		return true
	case "/help":
		h.say(help)
	case "/find":
		h.find(strings.TrimSpace(args))
	case "/again":
		if h.text == "" {
			h.say("Every message was sent.")
			return false
		}
		h.submit(h.text)
	case "/cancel":
		if h.back() {
			h.say("Nothing is under way.")
		}
	case "/show":
		for _, ev := range h.target.Agent.Surface().Events {
			h.show(ev)
		}
	default:
		h.say(fmt.Sprintf("No command %s. /help lists them.", termtext.Line(name)))
	}
	return false
}

// listed is how many sessions /find lists.
const listed = 9

// find lists sessions. It can be waited for: nothing else is going on.
func (h *host) find(query string) {
	if h.o.Candidates == nil {
		h.say("References are switched off.")
		return
	}
	ctx, cancel := context.WithCancel(h.ctx)
	defer cancel()
	type answer struct {
		found []candidate.Session
		err   error
	}
	done := make(chan answer, 1)
	go func() {
		found, err := h.o.Candidates.Candidates(ctx, query, listed)
		done <- answer{found, err}
	}()
	select {
	case a := <-done:
		if a.err != nil {
			h.complain(a.err)
			return
		}
		h.found = a.found
	case <-h.s.Interrupts:
		h.say("Cancelled.")
		return
	case <-h.ctx.Done():
		return
	}
	if len(h.found) == 0 {
		h.say("No session matches.")
	}
	place := candidate.Place{Home: h.o.Home}
	for i, s := range h.found {
		h.say(fmt.Sprintf("%d. %s, in %s, %s", i+1, termtext.Line(s.Label), place.Dir(s.Cwd), candidate.Ago(h.o.Now(), time.UnixMilli(s.Time))))
	}
}

// number is @1 to @9 as a word of its own.
var number = regexp.MustCompile(`(^|[\s([{"'])@([1-9])\b`)

// mentions puts the sessions that were listed in the place of their numbers.
func (h *host) mentions(text string) string {
	return number.ReplaceAllStringFunc(text, func(m string) string {
		at := strings.LastIndexByte(m, '@')
		n, _ := strconv.Atoi(m[at+1:])
		if n > len(h.found) {
			return m
		}
		return m[:at] + h.found[n-1].Mention()
	})
}
