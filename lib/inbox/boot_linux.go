package inbox

import (
	"os"
	"strings"
	"sync"
)

// bootID names this run of the machine: what was written and not flushed is still
// there as long as it is the same.
var bootID = sync.OnceValue(func() string {
	b, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(b))
})
