// Package fault names the failures a person or a script can meet: each carries
// the code of the contract (SPEC 5), the kind that decides the exit status
// (the table of CLI.md), the thing it is about and, where one helps, a hint.
//
// Packages below the programs return *Error for every failure whose cause a
// caller may want to tell apart; anything else counts as Unexpected. Callers
// match with errors.As and the fields, never on text.
package fault

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"
)

// Kind is the class of a failure; lib/cli maps it to an exit status.
type Kind int

// The kinds, one for each row of the exit table in CLI.md.
const (
	Unexpected  Kind = iota // I/O, model failure: exit 1
	Usage                   // bad flags or configuration: exit 2
	Reference               // a reference is wrong: exit 3
	Unreadable              // a session is absent, ambiguous or not permitted: exit 4
	OverBudget              // a source's fixed fields do not fit: exit 5
	Unsupported             // newer format, encrypted summary: exit 6
	Damaged                 // corrupt log, or one that breaks the fold's rules: exit 7
	Blocked                 // a hook blocked the message: exit 8
	Cancelled               // signal or timeout: exit 130
)

// Code is the stable name of a failure, as `--json-errors` prints it.
type Code string

// The codes of SPEC 5, and three of our own for failures it does not name.
const (
	InvalidConfig    Code = "SESSION_REFERENCE_INVALID_CONFIG"
	InvalidReference Code = "SESSION_REFERENCE_INVALID_REFERENCE"
	SelfReference    Code = "SESSION_REFERENCE_SELF_REFERENCE"
	TooMany          Code = "SESSION_REFERENCE_TOO_MANY"
	ReadFailed       Code = "SESSION_REFERENCE_READ_FAILED"
	BudgetExceeded   Code = "SESSION_REFERENCE_BUDGET_EXCEEDED"
	CancelledCode    Code = "SESSION_REFERENCE_CANCELLED"
	PromptBlocked    Code = "PROMPT_BLOCKED"
	UsageCode        Code = "USAGE"
	Failed           Code = "FAILED"
)

// Error is one failure. Its text is "Subject: Message: Err", without the parts
// that are empty. Text from outside (ids, paths, titles) must be put into
// Subject and Message with %q, so that it is one printable line.
type Error struct {
	Kind    Kind
	Code    Code
	Subject string // the thing to open: `session "x"`, a path, file:line
	Message string // what happened, lower case, no full stop
	Rule    string // machine name of the broken rule, e.g. "sources-duplicate"; may be empty
	Hint    string // what to type or do instead; may be empty
	Err     error  // the cause, or nil
}

func (e *Error) Error() string {
	parts := make([]string, 0, 3)
	for _, p := range []string{e.Subject, e.Message} {
		if p != "" {
			parts = append(parts, p)
		}
	}
	if e.Err != nil {
		parts = append(parts, e.Err.Error())
	}
	return strings.Join(parts, ": ")
}

func (e *Error) Unwrap() error { return e.Err }

// Of returns the first *Error in err's chain. For any other error it makes one:
// a cancelled or expired context is Cancelled, the rest Unexpected. Of(nil) is nil.
func Of(err error) *Error {
	if err == nil {
		return nil
	}
	var f *Error
	if errors.As(err, &f) {
		return f
	}
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return &Error{Kind: Cancelled, Code: CancelledCode, Message: "cancelled", Err: err}
	}
	return &Error{Kind: Unexpected, Code: Failed, Err: err}
}

// KindOf is Of(err).Kind.
func KindOf(err error) Kind { return Of(err).Kind }

// Quote shows text from outside for a Subject or a Message: as %q, and no more
// than the beginning of what may be a megabyte.
func Quote(s string) string { return QuoteUpTo(s, 80) }

// QuoteUpTo is Quote with the first most bytes of the text, for what is worth reading
// in full.
func QuoteUpTo(s string, most int) string {
	if len(s) <= most {
		return fmt.Sprintf("%q", s)
	}
	cut := most
	for cut > most-utf8.UTFMax && !utf8.RuneStart(s[cut]) {
		cut--
	}
	return fmt.Sprintf("%q… (%d bytes)", s[:cut], len(s))
}
