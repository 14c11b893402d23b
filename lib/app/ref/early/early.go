// Package early answers "dsh-ref hook AGENT" for a prompt without mentions, before
// the rest of the program is initialised.
//
// An agent runs that command at every prompt, and hardly any prompt has a mention.
// The packages that read sessions, a database engine among them, take several times
// as long to initialise as the answer takes. Go initialises a package as soon as the
// packages that it imports are: so this one imports no more than it needs, and ends
// the program from its init function. It answers nothing else. Whatever it read goes
// on to the program by Stdin.
package early

import (
	"io"
	"os"
	"time"

	"github.com/dsh-toolkit/dsh/lib/frame"
	"github.com/dsh-toolkit/dsh/lib/host"
	"github.com/dsh-toolkit/dsh/lib/host/known"
	"github.com/dsh-toolkit/dsh/lib/jstext"
)

const (
	// patience is how long the input may take. After that the program reads on, which
	// knows how to time out.
	patience = time.Second
	// maxInput is the size of an input up to which it is looked at here.
	maxInput = 1 << 20
)

// input is standard input, as far as it was read here; nil: not at all.
var input *stream

// Stdin is standard input from its beginning.
func Stdin() io.Reader {
	if input == nil {
		return os.Stdin
	}
	return input
}

func init() {
	if len(os.Args) != 3 || os.Args[1] != "hook" {
		return
	}
	if _, ok := known.Named(os.Args[2]); !ok {
		return
	}
	input = newStream(os.Stdin)
	if text, ok := input.whole(patience, maxInput); ok && nothingToAdd(text) {
		os.Exit(0)
	}
}

// nothingToAdd reports whether a prompt could be read and mentions no session.
func nothingToAdd(text []byte) bool {
	in, ok := host.ReadInput(jstext.Decode(text))
	if !ok {
		return false
	}
	found, err := frame.Find(jstext.ToUTF8(in.Prompt))
	return err == nil && len(found) == 0
}
