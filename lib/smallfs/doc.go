// Package smallfs gives a test a file system of its own that is soon full. It needs
// root, and Linux. It is for tests alone.
package smallfs
