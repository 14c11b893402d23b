package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/dsh-toolkit/dsh/lib/fault"
	"github.com/dsh-toolkit/dsh/lib/jstext"
	"github.com/dsh-toolkit/dsh/lib/termtext"
)

// Usage makes a usage failure (exit 2).
func Usage(format string, args ...any) error {
	return &fault.Error{Kind: fault.Usage, Code: fault.UsageCode, Message: fmt.Sprintf(format, args...)}
}

func usageError(name string, err error) error {
	return &fault.Error{
		Kind: fault.Usage, Code: fault.UsageCode, Message: flagMessage(err.Error()),
		Hint: name + " --help",
	}
}

// flagMessage writes the flag that package flag complains of as it is documented
// (--limit), not with that package's one dash.
func flagMessage(s string) string {
	for _, lead := range []string{"flag provided but not defined: ", "flag needs an argument: "} {
		if name, ok := strings.CutPrefix(s, lead+"-"); ok {
			return lead + dashes(name) + name
		}
	}
	for _, before := range []string{" for flag ", " for "} { // invalid value "x" for flag -limit: parse error
		if i := strings.LastIndex(s, before+"-"); i >= 0 && strings.HasPrefix(s, "invalid ") {
			i += len(before)
			name, _, _ := strings.Cut(s[i+1:], ":")
			return s[:i] + dashes(name) + s[i+1:]
		}
	}
	return s
}

// Note prints one line for the person at the other end of standard error.
func (c *Call) Note(format string, args ...any) {
	fmt.Fprintf(c.Sys.Stderr, "%s: note: %s\n", c.name, oneLine(fmt.Sprintf(format, args...)))
}

// Report prints a failure on standard error, as the end of the program would, for
// an action that goes on.
func (c *Call) Report(err error) { report(c.Sys.Stderr, c.name, err, c.Bool("json-errors")) }

// Describe returns what Report prints as text, without the last line end.
func (c *Call) Describe(err error) string {
	var b strings.Builder
	report(&b, c.name, err, false)
	return strings.TrimSuffix(b.String(), "\n")
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
	if asJSON {
		fmt.Fprintf(w, "%s\n", errorJSON(f.Code, message(err), f.Hint))
		return
	}
	fmt.Fprintf(w, "%s: %s\n", name, message(err))
	if f.Hint != "" {
		fmt.Fprintf(w, "%s: hint: %s\n", name, oneLine(f.Hint))
	}
}

// message is an error's text, on one line that is safe to show.
func message(err error) string {
	var f *fault.Error
	if !errors.As(err, &f) {
		switch { // in our words
		case errors.Is(err, context.DeadlineExceeded):
			return "timed out"
		case errors.Is(err, context.Canceled):
			return "cancelled"
		}
	}
	return oneLine(err.Error())
}

func errorJSON(code fault.Code, message, hint string) []byte {
	var j jstext.Writer
	j.BeginObject()
	j.Key("error")
	j.BeginObject()
	j.Key("code")
	j.Text(string(code))
	j.Key("message")
	j.Text(message)
	if hint != "" {
		j.Key("hint")
		j.Text(oneLine(hint))
	}
	j.EndObject()
	j.EndObject()
	return j.Bytes()
}

// oneLine keeps a message to one line, whoever made it.
func oneLine(s string) string {
	return termtext.Line(strings.ReplaceAll(strings.TrimSpace(s), "\n", "; "))
}
