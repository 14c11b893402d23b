package cmd_test

import (
	"bytes"
	"os"
	"strconv"

	"github.com/klauspost/compress/zstd"
	"github.com/rogpeppe/go-internal/testscript"
)

// zstd [-frames N] SRC DST compresses a log as dsh does: independent checksummed
// frames, the first of the header line alone, the other lines spread over the
// rest. The default is one frame a line.
func zstdFrames(ts *testscript.TestScript, neg bool, args []string) {
	frames := 0
	if len(args) > 2 && args[0] == "-frames" {
		n, err := strconv.Atoi(args[1])
		ts.Check(err)
		frames, args = n, args[2:]
	}
	usage(ts, neg || len(args) != 2 || frames < 0, "zstd [-frames n] src dst")
	lines := bytes.SplitAfter([]byte(ts.ReadFile(args[0])), []byte("\n"))
	if n := len(lines); len(lines[n-1]) == 0 {
		lines = lines[:n-1]
	}
	enc, err := zstd.NewWriter(nil, zstd.WithEncoderCRC(true), zstd.WithEncoderConcurrency(1))
	ts.Check(err)
	var out []byte
	for _, batch := range batches(lines, frames) {
		out = enc.EncodeAll(bytes.Join(batch, nil), out)
	}
	ts.Check(os.WriteFile(ts.MkAbs(args[1]), out, 0o644))
}

// batches puts the first line alone and the others into n-1 runs as even as
// can be; with n 0, or more than there are lines, each line alone.
func batches(lines [][]byte, n int) [][][]byte {
	if len(lines) == 0 || n == 1 {
		return [][][]byte{lines}
	}
	if n == 0 || n > len(lines) {
		n = len(lines)
	}
	out := [][][]byte{lines[:1]}
	rest := lines[1:]
	for i := range n - 1 {
		out = append(out, rest[i*len(rest)/(n-1):(i+1)*len(rest)/(n-1)])
	}
	return out
}

// tear FILE N cuts the last N bytes off, as a writer that was killed would leave
// it.
func tear(ts *testscript.TestScript, neg bool, args []string) {
	usage(ts, neg || len(args) != 2, "tear file n")
	n, err := strconv.ParseInt(args[1], 10, 64)
	ts.Check(err)
	path := ts.MkAbs(args[0])
	info, err := os.Stat(path)
	ts.Check(err)
	if n <= 0 || n > info.Size() {
		ts.Fatalf("%s has %d bytes", args[0], info.Size())
	}
	ts.Check(os.Truncate(path, info.Size()-n))
}
