// Package conformance is the test suite that every reader of another agent's
// sessions runs. A reader's own tests hold the agent's rules; this suite holds
// what is the same for all of them: listing, identity, renamed files, torn tails,
// live writers, damaged records, empty sessions, huge lines, invalid UTF-8,
// unreadable directories, symlinked homes, absent roots, cancellation, and that
// nothing is ever written.
//
// A test file of the reader lays sessions down as the agent would and calls Run:
//
//	func TestConformance(t *testing.T) {
//		conformance.Run(t, conformance.Reader{
//			Format: ant.Format,
//			ID:     func(n int) string { return fmt.Sprintf("00000000-0000-4000-8000-%012d", n) },
//			Lay:    lay,
//			Lines:  true,
//		})
//	}
//
// The example in this package is a whole reader, with its test, to start from:
// example_reader_test.go. The steps of writing one are:
//
//  1. Say where a store is: Format.Roots, Open, Recognise.
//  2. List cheaply: directory entries, then the head and the tail of each file
//     (jsonl.ReadPeek); never a body. One error names one file and goes on.
//     Say how records look (jsonl.Form), so that none is lost behind a damaged one.
//  3. Look ids up by what the agent names its files by; look inside only where the
//     name does not say.
//  4. Read: Records with a Shape that keeps little, decide what is conversation
//     now, and hand the messages to a transcript.Builder. A log of which little is
//     shown is read twice, first facts, then texts (jsonl.Fetch), so that memory
//     follows the surface.
//  5. Run this suite, then the agent's own cases against their expected.json
//     (Fixtures, GoldenList); fuzz the reading (Fuzz) and measure it (Bench).
package conformance

import (
	"fmt"
	"os"
	"testing"
	"time"

	"github.com/dsh-toolkit/dsh/lib/jstext"
	"github.com/dsh-toolkit/dsh/lib/session"
	"github.com/dsh-toolkit/dsh/lib/store"
)

// Reader is what the suite must know of a reader to test it.
type Reader struct {
	Format store.Format

	// ID is the nth id in the agent's own form, without the kind.
	ID func(n int) string

	// Lay writes a session below root, which exists, as the agent itself would have
	// left it when it was last idle. It must be a function of its arguments: a
	// session with more messages is laid as the same bytes with more behind them,
	// where Lines is set.
	Lay func(t testing.TB, root string, s Session) Laid

	// Lines is set where a session is one file of JSON lines that only grows, each
	// message on one or more lines of its own. The suite then makes torn tails, live
	// writers, damage and holes itself; otherwise the three hooks below do.
	Lines bool

	// Tear leaves a laid session as a writer would that was killed inside its last
	// message.
	Tear func(t testing.TB, at Laid)
	// Damage spoils the record of the message whose text is given.
	Damage func(t testing.TB, at Laid, text string)
	// Grow lays the session's first n messages, as the agent does while it runs. It
	// is called with rising n while the session is being read.
	Grow func(t testing.TB, root string, s Session, n int)

	// Without names checks that cannot arise in this format, each with the reason:
	// "torn tail", "live writer", "damaged record", "huge line", "memory", "unreadable
	// directory", "fifo". The reasons are logged.
	Without map[string]string

	// Slack is how many bytes may be allocated to read past a huge tool output, which
	// is of HugeOutput bytes. 0: 8 MiB.
	Slack int64
}

// HugeOutput is the size of the tool output of the huge-line check.
const HugeOutput = 20 << 20

// Session is one session to lay down.
type Session struct {
	ID       string // as Reader.ID gives it
	Cwd      string
	Title    string // the agent's own title; empty: none
	Created  time.Time
	Messages []Message
}

// Message is one message, with its tools before it.
type Message struct {
	Role session.Role // User or Assistant
	// Literal is the text as the JSON string literal that the store must hold, quotes
	// included. It may have bytes that are not UTF-8.
	Literal string
	// Output is how many bytes of tool output stand before an assistant message.
	Output int
	// Picture says that a user's message is a small picture and no text: the literal is
	// empty.
	Picture bool
}

// Text is what a reader must make of the literal.
func (m Message) Text() string {
	text, err := jstext.Unquote(jstext.Decode([]byte(m.Literal)))
	if err != nil {
		panic(fmt.Sprintf("conformance: %q is no literal: %v", m.Literal, err))
	}
	return text
}

// User is what a person says.
func User(text string) Message { return Message{Role: session.User, Literal: jstext.Quote(text)} }

// Assistant is an answer.
func Assistant(text string) Message {
	return Message{Role: session.Assistant, Literal: jstext.Quote(text)}
}

// Picture is what a person shows without a word.
func Picture() Message { return Message{Role: session.User, Picture: true} }

// Laid is where a session was laid.
type Laid struct {
	ID   string // without the kind
	Path string // the file (or database) that holds it, as Entry.Path names it
}

// Run runs the suite.
func Run(t *testing.T, r Reader) {
	if r.Slack == 0 {
		r.Slack = 8 << 20
	}
	for _, c := range []struct {
		name  string
		check func(*testing.T, Reader)
	}{
		{"format", checkFormat},
		{"listing", checkListing},
		{"listing reads no body", checkHollow},
		{"identity", checkIdentity},
		{"renamed file", checkRenamed},
		{"hostile ids", checkHostileIDs},
		{"conversation", checkConversation},
		{"same twice", checkSameTwice},
		{"torn tail", checkTornTail},
		{"live writer", checkLiveWriter},
		{"damaged record", checkDamaged},
		{"runs of NULs", checkNULs},
		{"glued records", checkGlued},
		{"replaced while it is read", checkReplaced},
		{"empty session", checkEmpty},
		{"huge line", checkHugeLine},
		{"memory", checkMemory},
		{"invalid UTF-8", checkInvalidUTF8},
		{"lone surrogates", checkSurrogates},
		{"lone surrogates in a title", checkSurrogateTitle},
		{"framed prompt", checkFramed},
		{"frame alone", checkFrameAlone},
		{"look-alike of a frame", checkLookAlike},
		{"mention in a title", checkMentionTitle},
		{"picture alone", checkPicture},
		{"unreadable directory", checkUnreadable},
		{"symlinked home", checkSymlinks},
		{"no such root", checkNoRoot},
		{"absent file", checkAbsentFile},
		{"cancellation", checkCancelled},
		{"fifo", checkFIFO},
		{"nothing is written", checkUntouched},
	} {
		t.Run(c.name, func(t *testing.T) {
			if why := r.Without[c.name]; why != "" {
				t.Logf("cannot arise in %s: %s", r.Format.Kind, why)
				return
			}
			c.check(t, r)
		})
	}
}

// session returns the suite's nth session, with messages of its own.
func (r Reader) session(n int, messages ...Message) Session {
	if messages == nil {
		messages = []Message{
			User(fmt.Sprintf("Question one of %d.", n)), Assistant(fmt.Sprintf("Answer one of %d.", n)),
			User(fmt.Sprintf("Question two of %d.", n)), Assistant(fmt.Sprintf("Answer two of %d.", n)),
		}
	}
	return Session{
		ID: r.ID(n), Cwd: fmt.Sprintf("/work/demo %d", n), Messages: messages,
		Created: time.Date(2026, 8, 1, 10, n, 0, 0, time.UTC),
	}
}

func (r Reader) open(t testing.TB, root string) store.Store {
	t.Helper()
	return Open(t, r.Format, root)
}

// full is an id with its kind.
func (r Reader) full(id string) string { return r.Format.Kind + ":" + id }

// Env is the surroundings that the suite lets a reader see: no variable is set,
// and the home is an empty directory.
func Env(t testing.TB) store.Env {
	t.Helper()
	return store.Env{Getenv: func(string) string { return "" }, Home: t.TempDir(), GOOS: "linux"}
}

func mustWrite(t testing.TB, path string, content []byte) {
	t.Helper()
	if err := os.WriteFile(path, content, 0o600); err != nil {
		t.Fatal(err)
	}
}

func mustRead(t testing.TB, path string) []byte {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return b
}
