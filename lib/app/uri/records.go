package uri

import (
	"bufio"
	"fmt"
	"io"
	"iter"
	"strings"

	"github.com/dsh-toolkit/dsh/lib/cli"
	"github.com/dsh-toolkit/dsh/lib/fault"
	"github.com/dsh-toolkit/dsh/lib/jstext"
	"github.com/dsh-toolkit/dsh/lib/sessionuri"
	"github.com/dsh-toolkit/dsh/lib/termtext"
)

// convert prints f of each record and stops at the first that fails.
func convert(c *cli.Call, f func(string) (string, error)) error {
	end := byte('\n')
	if c.Bool("0") {
		end = 0
	}
	for rec, err := range records(c, end) {
		if err != nil {
			return err
		}
		out, err := apply(rec.text, c.Bool("json"), f)
		if err != nil {
			return rec.locate(err)
		}
		if err := put(c, out, c.Bool("json"), end); err != nil {
			return err
		}
	}
	return nil
}

func apply(text string, asJSON bool, f func(string) (string, error)) (string, error) {
	if err := checkText(text); err != nil {
		return "", err
	}
	// A URI is never in quotes, so a bare one needs none.
	if asJSON && !strings.HasPrefix(text, sessionuri.Scheme) {
		v, err := jstext.Parse(text)
		if err != nil {
			return "", &fault.Error{
				Kind: fault.Reference, Code: fault.InvalidReference,
				Subject: fault.Quote(text), Message: "not a JSON string", Err: err,
			}
		}
		s, ok := v.Text()
		if !ok {
			return "", badText(text, "not a JSON string")
		}
		text = s
	}
	return f(text)
}

// checkText refuses bytes that are no JavaScript string: whatever stood for them
// would name another session.
func checkText(s string) error {
	if at := jstext.InvalidAt(s); at >= 0 {
		return badText(s, fmt.Sprintf("not UTF-8 at byte %d", at))
	}
	return nil
}

func badText(s, message string) error {
	return &fault.Error{Kind: fault.Reference, Code: fault.InvalidReference, Subject: fault.Quote(s), Message: message}
}

// record is one operand, or one record of standard input.
type record struct {
	text string
	line int // of standard input, from 1; 0 for an operand
}

func (r record) locate(err error) error {
	if r.line == 0 {
		return err
	}
	return fmt.Errorf("<stdin>:%d: %w", r.line, err)
}

// records yields the operands, for one that is - or for none the records of
// standard input.
func records(c *cli.Call, end byte) iter.Seq2[record, error] {
	args := c.Args().Slice()
	if len(args) == 0 {
		args = []string{"-"}
	}
	return func(yield func(record, error) bool) {
		for _, arg := range args {
			if arg == "-" {
				if !stdinRecords(c, end, yield) {
					return
				}
			} else if !yield(record{text: arg}, nil) {
				return
			}
		}
	}
}

// stdinRecords yields records of any length, each as soon as it is complete.
func stdinRecords(c *cli.Call, end byte, yield func(record, error) bool) bool {
	if c.Sys.StdinTTY {
		c.Note("reading from the terminal, one a line; end with Ctrl-D")
	}
	in := bufio.NewReaderSize(cli.Interruptible(c.Ctx(), c.Sys.Stdin, "<stdin>"), 64<<10)
	for line := 1; ; line++ {
		text, err := readRecord(c, in, end)
		if err == io.EOF {
			return true
		}
		if !yield(record{text, line}, err) || err != nil {
			return false
		}
	}
}

// readRecord reads one record without its end; the last one may have none. io.EOF
// comes alone. What has been printed goes out before a read that could wait, for
// whoever writes one record and waits for its answer.
func readRecord(c *cli.Call, in *bufio.Reader, end byte) (string, error) {
	if in.Buffered() == 0 {
		if err := c.Out.Flush(); err != nil {
			return "", err
		}
	}
	text, err := in.ReadString(end)
	if err == io.EOF && text != "" {
		return text, nil
	}
	return strings.TrimSuffix(text, string(rune(end))), err
}

// put prints one result. Into a pipe its bytes are exact; on a terminal nothing
// in it can act.
func put(c *cli.Call, s string, asJSON bool, end byte) error {
	switch {
	case asJSON && c.Sys.StdoutTTY:
		s = termtext.JSON(jstext.Quote(s))
	case asJSON:
		s = jstext.Quote(s)
	case c.Sys.StdoutTTY:
		s = termtext.Line(s)
	}
	if _, err := c.Out.WriteString(s); err != nil {
		return err
	}
	return c.Out.WriteByte(end)
}
