package cli

import (
	"fmt"
	"io"
	"strings"

	"github.com/dsh-toolkit/dsh/lib/fault"
	"github.com/dsh-toolkit/dsh/lib/jstext"
)

// Usage makes a usage failure (exit 2).
func Usage(format string, args ...any) error {
	return &fault.Error{Kind: fault.Usage, Code: fault.UsageCode, Message: fmt.Sprintf(format, args...)}
}

func usageError(name string, err error) error {
	return &fault.Error{
		Kind: fault.Usage, Code: fault.UsageCode, Message: oneLine(err.Error()),
		Hint: name + " --help",
	}
}

// Note prints one line for the person at the other end of standard error.
func (c *Call) Note(format string, args ...any) {
	fmt.Fprintf(c.Sys.Stderr, "%s: note: %s\n", c.name, oneLine(fmt.Sprintf(format, args...)))
}

// several is what errors.Join and the like make.
type several interface{ Unwrap() []error }

// report prints a failure; an error that joins several prints each on its line.
func report(w io.Writer, name string, err error, asJSON bool) {
	if s, ok := err.(several); ok {
		for _, e := range s.Unwrap() {
			report(w, name, e, asJSON)
		}
		return
	}
	f := fault.Of(err)
	text := oneLine(err.Error())
	if asJSON {
		var j jstext.Writer
		j.BeginObject()
		j.Key("error")
		j.BeginObject()
		j.Key("code")
		j.Text(string(f.Code))
		j.Key("message")
		j.Text(text)
		if f.Hint != "" {
			j.Key("hint")
			j.Text(f.Hint)
		}
		j.EndObject()
		j.EndObject()
		fmt.Fprintf(w, "%s\n", j.Bytes())
		return
	}
	fmt.Fprintf(w, "%s: %s\n", name, text)
	if f.Hint != "" {
		fmt.Fprintf(w, "%s: hint: %s\n", name, oneLine(f.Hint))
	}
}

// oneLine keeps a message of another library to one line.
func oneLine(s string) string {
	return strings.ReplaceAll(strings.TrimSpace(s), "\n", "; ")
}
