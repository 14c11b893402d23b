package known

import (
	"github.com/dsh-toolkit/dsh/lib/store"
)

// Formats is every format the toolkit reads, dsh's own first. The order is also
// the order in which a bare file is tried.
var Formats = []store.Format{}
