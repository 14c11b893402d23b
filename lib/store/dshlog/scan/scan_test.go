package scan_test

import (
	"bytes"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/klauspost/compress/zstd"

	"github.com/dsh-toolkit/dsh/lib/store/dshlog/scan"
	"github.com/dsh-toolkit/dsh/lib/store/dshlog/zframe"
)

// same holds every way to scan a log against reading it plainly.
func same(t *testing.T, r *rand.Rand, log []byte) {
	t.Helper()
	if zframe.Is(log) {
		return // FuzzZstd's
	}
	want := plainly(log)
	check := func(how string, got outcome) {
		t.Helper()
		if got != want {
			t.Fatalf("%s:\n got %.2000v\nwant %.2000v\nlog: %.3000q", how, got, want, log)
		}
	}
	stream := func(b []byte) scan.Source { return scan.Source{Stream: iotest.HalfReader(bytes.NewReader(b))} }
	check("raw", scanned(file(log), scan.Options{}))
	check("raw, each line read", scanned(file(log), scan.Options{Plain: true}))
	check("raw stream", scanned(stream(log), scan.Options{}))
	if len(log) == 0 {
		return
	}
	z := packed(r, log)
	check("zstd", scanned(file(z), scan.Options{}))
	check("zstd, each line read", scanned(file(z), scan.Options{Plain: true}))
	check("zstd stream", scanned(stream(z), scan.Options{}))
}

func TestScanIsPlainReading(t *testing.T) {
	r := rand.New(rand.NewPCG(11, 12))
	for i := range 25 {
		log := generated(r, r.IntN(60)+i%7*40)
		same(t, r, log)
		for range 5 {
			same(t, r, mutated(r, log))
		}
	}
}

// The same in pieces of a few bytes: every line lies across an edge some time.
func TestSmallPieces(t *testing.T) {
	r := rand.New(rand.NewPCG(21, 22))
	for _, size := range []int64{1, 2, 7, 61, 150, 400} {
		reset := scan.SetPieceSize(size)
		for range 25 {
			log := generated(r, r.IntN(12))
			if r.IntN(4) > 0 {
				log = mutated(r, log)
			}
			same(t, r, log)
		}
		reset()
	}
}

// Logs of many pieces: everything that ends at a piece's edge, some time.
func TestManyPieces(t *testing.T) {
	r := rand.New(rand.NewPCG(13, 14))
	log := generated(r, 3000)
	if len(log) < 1<<20 {
		t.Fatalf("only %d bytes", len(log))
	}
	same(t, r, log)
	for range 2 {
		same(t, r, mutated(r, log))
	}
}

func TestRealLogs(t *testing.T) {
	r := rand.New(rand.NewPCG(15, 16))
	n := 0
	for _, root := range []string{"fixtures/dsh", "inputs"} {
		err := filepath.WalkDir(testdata+"/"+root, func(path string, d os.DirEntry, err error) error {
			if err != nil || !strings.Contains(d.Name(), ".jsonl") || !strings.Contains(path, "dsh") {
				return err
			}
			log, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			if zframe.Is(log) {
				if log = unpacked(log); log == nil {
					return nil // cut or corrupt: other tests'
				}
			}
			n++
			same(t, r, log)
			for range 4 {
				same(t, r, mutated(r, log))
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if n < 30 {
		t.Errorf("only %d logs", n)
	}
}

func unpacked(b []byte) []byte {
	z, err := zstd.NewReader(nil)
	if err != nil {
		return nil
	}
	defer z.Close()
	out, err := z.DecodeAll(b, nil)
	if err != nil {
		return nil
	}
	return out
}

func TestVectorsAsZstd(t *testing.T) {
	r := rand.New(rand.NewPCG(17, 18))
	for _, c := range vectors(t) {
		same(t, r, bytesOf(t, c))
	}
}

func FuzzScan(f *testing.F) {
	for _, c := range vectors(f) {
		f.Add(bytesOf(f, c), uint64(1))
	}
	r := rand.New(rand.NewPCG(19, 20))
	for range 10 {
		f.Add(mutated(r, generated(r, 30)), r.Uint64())
	}
	f.Fuzz(func(t *testing.T, log []byte, seed uint64) {
		same(t, rand.New(rand.NewPCG(seed, 1)), log)
	})
}

// Whatever is in a zstd file, it is read the same from a file and from a stream,
// with lines compared and with lines parsed.
func FuzzZstd(f *testing.F) {
	r := rand.New(rand.NewPCG(23, 24))
	for range 5 {
		z := packed(r, generated(r, 20))
		f.Add(z)
		f.Add(z[:len(z)/2])
		z = bytes.Clone(z)
		z[r.IntN(len(z))] ^= 0x20
		f.Add(z)
	}
	f.Add(bomb(1<<20, '\n'))
	f.Fuzz(func(t *testing.T, z []byte) {
		if !zframe.Is(z) {
			return
		}
		want := scanned(file(z), scan.Options{})
		for how, got := range map[string]outcome{
			"plain": scanned(file(z), scan.Options{Plain: true}), "stream": scanned(scan.Source{Stream: bytes.NewReader(z)}, scan.Options{}),
		} {
			if got != want {
				t.Errorf("%s: got %.500v, want %.500v", how, got, want)
			}
		}
	})
}
