//go:build !(darwin || dragonfly || freebsd || linux || netbsd || openbsd)

package inbox

import (
	"errors"
	"os"
)

// tryFlock fails: without a lock that ends with its process, order and ownership
// cannot be promised.
func tryFlock(*os.File, bool) (held bool, err error) { return false, errors.ErrUnsupported }
