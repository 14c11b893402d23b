package jsonl

import (
	"context"
	"errors"
	"fmt"
	"io/fs"

	"github.com/dsh-toolkit/dsh/lib/fault"
)

var errNotRegular = errors.New("not a regular file")

// Unreadable is the failure of a file that cannot be opened or read. An error
// that is a *fault.Error already, or a cancellation, stays what it is; one that
// has no subject yet gets the path.
func Unreadable(path string, err error) error {
	var f *fault.Error
	if errors.As(err, &f) || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		named := *fault.Of(err)
		if named.Subject == "" && named.Kind != fault.Cancelled {
			named.Subject = fmt.Sprintf("%q", path)
		}
		return &named
	}
	var p *fs.PathError
	if errors.As(err, &p) {
		err = p.Err // the subject names the file
	}
	return &fault.Error{
		Kind: fault.Unreadable, Code: fault.ReadFailed, Subject: fmt.Sprintf("%q", path),
		Message: "cannot be read", Err: err,
	}
}

// damaged is the failure of a packed file whose content is not what was packed.
func damaged(rule, format string, args ...any) error {
	return &fault.Error{
		Kind: fault.Damaged, Code: fault.ReadFailed, Rule: rule, Message: fmt.Sprintf(format, args...),
	}
}
