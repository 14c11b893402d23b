//go:build !linux

package inbox

// bootID is empty: whether the machine has crashed since is not known here.
func bootID() string { return "" }
