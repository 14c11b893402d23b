//go:build race

package opencode_test

// The race detector makes the engine of the database some twenty times slower.
const longSession = 5_000
