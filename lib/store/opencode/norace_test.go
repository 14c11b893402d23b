//go:build !race

package opencode_test

const longSession = 100_000
