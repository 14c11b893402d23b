// Package suite is what every agent is put through, and the table of what came of it.
package suite
