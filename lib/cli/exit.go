package cli

import "github.com/dsh-toolkit/dsh/lib/fault"

// The exit statuses, the same in all five programs (CLI.md).
const (
	ExitDone        = 0
	ExitFailed      = 1   // unexpected: I/O, model failure
	ExitUsage       = 2   // usage, configuration
	ExitReference   = 3   // the reference is wrong
	ExitUnreadable  = 4   // a session cannot be read: absent, ambiguous, no permission
	ExitOverBudget  = 5   // over budget
	ExitUnsupported = 6   // format newer than the tool, or an encrypted summary
	ExitDamaged     = 7   // damaged log, or one that breaks the fold's rules
	ExitBlocked     = 8   // a hook blocked the message
	ExitCancelled   = 130 // cancelled: signal or --timeout
)

// ExitStatus maps an error to its exit status; nil is ExitDone.
func ExitStatus(err error) int {
	if err == nil {
		return ExitDone
	}
	switch fault.KindOf(err) {
	case fault.Usage:
		return ExitUsage
	case fault.Reference:
		return ExitReference
	case fault.Unreadable:
		return ExitUnreadable
	case fault.OverBudget:
		return ExitOverBudget
	case fault.Unsupported:
		return ExitUnsupported
	case fault.Damaged:
		return ExitDamaged
	case fault.Blocked:
		return ExitBlocked
	case fault.Cancelled:
		return ExitCancelled
	default:
		return ExitFailed
	}
}
