// Package plain is the terminal host as lines: for screen readers, for terminals
// that can do no more, and for whoever likes it. Nothing is drawn over, nothing
// moves; each line that is written is complete and says by its words alone what it
// is. Answers come line by line, as they are finished.
//
// It follows the same rules as lib/tui, from which it takes its options.
package plain

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/dsh-toolkit/dsh/lib/agent"
	"github.com/dsh-toolkit/dsh/lib/fault"
	"github.com/dsh-toolkit/dsh/lib/frame"
	"github.com/dsh-toolkit/dsh/lib/jstext"
	"github.com/dsh-toolkit/dsh/lib/session"
	"github.com/dsh-toolkit/dsh/lib/termtext"
	"github.com/dsh-toolkit/dsh/lib/tui"
	"github.com/dsh-toolkit/dsh/lib/tui/candidate"
)

// Streams is where lines come from and go to.
type Streams struct {
	In         io.Reader
	Out        io.Writer
	Interrupts <-chan struct{} // Ctrl-C
}

// host is one run.
type host struct {
	o   tui.Options
	s   Streams
	ctx context.Context
	out *bufio.Writer

	target *tui.Target
	lines  chan string
	events chan []agent.Event

	found    []candidate.Session // by the last /find
	draft    []string            // lines that go on
	text     string              // the message that is prepared, or that failed
	prepared chan result         // nil: nothing is being prepared
	stop     context.CancelFunc

	running bool            // until the agent says that it is idle
	asked   bool            // the cursor stands behind a prompt
	answer  strings.Builder // the unfinished line of an answer
	said    bool            // something of the present answer has been written
}

type result struct {
	message agent.Message
	err     error
}

// Run talks until the person leaves (Ctrl-D, /quit, or Ctrl-C while nothing runs),
// which is no error, or ctx is done.
func Run(ctx context.Context, o tui.Options, s Streams) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	h := &host{o: o, s: s, ctx: ctx, out: bufio.NewWriter(s.Out), lines: make(chan string), events: make(chan []agent.Event)}
	target, err := o.Open(ctx)
	if err != nil {
		return err
	}
	h.target = target
	h.greet()
	go h.read()
	go h.listen()
	for {
		h.prompt()
		if err := h.out.Flush(); err != nil {
			return fmt.Errorf("write <stdout>: %w", err)
		}
		leave, err := h.step()
		if leave || err != nil {
			h.end()
			return err
		}
	}
}

// read hands on the lines that are typed; their end closes the channel.
func (h *host) read() {
	defer close(h.lines)
	r := bufio.NewReader(h.s.In)
	for {
		line, err := r.ReadString('\n')
		if line != "" {
			select {
			case h.lines <- strings.TrimRight(line, "\r\n"):
			case <-h.ctx.Done():
				return
			}
		}
		if err != nil {
			return
		}
	}
}

func (h *host) listen() {
	for {
		events := h.target.Events.Next(h.ctx)
		if len(events) == 0 {
			return
		}
		select {
		case h.events <- events:
		case <-h.ctx.Done():
			return
		}
	}
}

// step waits for the next thing and deals with it.
func (h *host) step() (leave bool, err error) {
	select {
	case <-h.ctx.Done():
		return true, context.Cause(h.ctx)
	case line, ok := <-h.lines:
		if !ok {
			return true, nil
		}
		h.asked = false // the terminal has echoed the line's end
		return h.line(jstext.Decode([]byte(line))), nil
	case events := <-h.events:
		for _, e := range events {
			h.event(e)
		}
	case r := <-h.prepared:
		h.stop()
		h.prepared = nil
		if r.err != nil {
			h.failed(r.err)
			break
		}
		h.deliver(r.message)
	case <-h.s.Interrupts:
		return h.interrupt(), nil
	}
	return false, nil
}

// interrupt cancels what is under way; else it leaves.
func (h *host) interrupt() (leave bool) {
	fmt.Fprintln(h.out) // behind the ^C that the terminal has shown
	h.asked = false
	return h.back()
}

// back cancels what is under way, and reports whether nothing was.
func (h *host) back() (nothing bool) {
	switch {
	case h.prepared != nil:
		h.stop()
		h.prepared = nil // what it still brings, nobody takes
		h.say("Cancelled, nothing was sent. /again sends it after all.")
	case h.running:
		h.cancel()
	case len(h.draft) > 0:
		h.draft = nil
		h.say("Cancelled.")
	default:
		return true
	}
	return false
}

func (h *host) cancel() {
	if err := h.target.Agent.Cancel(h.ctx); err != nil {
		h.complain(err)
	}
}

// submit takes a whole message.
func (h *host) submit(text string) {
	if strings.TrimSpace(text) == "" {
		return
	}
	if h.prepared != nil {
		h.say("Still preparing the message before. /cancel stops that.")
		return
	}
	h.text = text
	mentions, err := frame.Find(text)
	switch {
	case err != nil:
		h.failed(err)
	case len(mentions) == 0:
		h.deliver(agent.Message{Content: session.TextContent(text)})
	case h.o.Candidates == nil:
		h.failed(&fault.Error{Kind: fault.Usage, Code: fault.InvalidConfig, Message: "references are switched off (--no-references)"})
	default:
		h.say("Preparing. Ctrl-C cancels.")
		ctx, cancel := context.WithCancel(h.ctx)
		done := make(chan result, 1) // a preparation that nobody waits for can end
		h.prepared, h.stop = done, cancel
		go func() {
			msg, err := h.o.Preparer.Prepare(ctx, text)
			done <- result{msg, err}
		}()
	}
}

// deliver sends, or steers if a turn runs at this moment.
func (h *host) deliver(msg agent.Message) {
	put, word := h.target.Agent.Send, "Sent."
	if h.target.Agent.Running() {
		put, word = h.target.Agent.Steer, "Waiting for the turn that runs."
	}
	if _, err := put(h.ctx, msg); err != nil {
		h.failed(err)
		return
	}
	h.text = ""
	h.running = true
	h.say(word)
}

func (h *host) failed(err error) {
	h.complain(err)
	h.say("Nothing was sent. /again sends it again.")
}

func (h *host) complain(err error) {
	h.say("Error: " + termtext.Block(err.Error()))
	if hint := fault.Of(err).Hint; hint != "" {
		h.say("Hint: " + termtext.Block(hint))
	}
}

// say writes a line, on a row of its own.
func (h *host) say(line string) {
	if h.asked {
		fmt.Fprintln(h.out)
		h.asked = false
	}
	fmt.Fprintln(h.out, line)
}

// prompt asks for input where nothing else is under way.
func (h *host) prompt() {
	if h.asked || h.prepared != nil || h.running {
		return
	}
	h.asked = true
	if len(h.draft) > 0 {
		fmt.Fprint(h.out, "... ")
	} else {
		fmt.Fprint(h.out, "> ")
	}
}

func (h *host) greet() {
	surface := h.target.Surface
	n := 0
	for _, ev := range surface.Events {
		if session.MessageOf(ev).ByPerson() {
			n++
		}
	}
	switch {
	case n == 0:
		h.say("New session. /help says what can be typed.")
	default:
		title := surface.Header.ID
		if surface.Title != nil && *surface.Title != "" {
			title = *surface.Title
		}
		h.say(fmt.Sprintf("Session %s, %d so far. /show prints it, /help says what can be typed.", termtext.Line(title), n))
	}
}

func (h *host) end() {
	if h.stop != nil {
		h.stop()
	}
	if h.asked {
		fmt.Fprintln(h.out)
	}
	_ = h.out.Flush()
}
