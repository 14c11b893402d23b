package zframe_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/klauspost/compress/zstd"

	"github.com/dsh-toolkit/dsh/lib/store/dshlog/zframe"
)

func frame(t testing.TB, data []byte, opts ...zstd.EOption) []byte {
	e, err := zstd.NewWriter(nil, append([]zstd.EOption{zstd.WithEncoderConcurrency(1)}, opts...)...)
	if err != nil {
		t.Fatal(err)
	}
	return e.EncodeAll(data, nil)
}

// noise is data that does not get smaller.
func noise(n int) []byte {
	b := make([]byte, n)
	r := rand.NewChaCha8([32]byte{7})
	_, _ = r.Read(b)
	return b
}

// got is what a file was split into: kinds and sizes, and the content of whole
// frames.
type got struct {
	shape   string
	content string
}

func split(t testing.TB, file []byte, r io.Reader, keepAll bool) got {
	s := zframe.NewSplitter(r)
	s.KeepAll = keepAll
	var d zframe.Decoder
	defer d.Close()
	var g got
	var content []byte
	at := int64(0)
	for {
		it, err := s.Next(nil)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		if it.Offset != at || it.Size <= 0 {
			t.Fatalf("item at %d of %d bytes, want one at %d", it.Offset, it.Size, at)
		}
		at += it.Size
		if it.Data != nil && !bytes.Equal(it.Data, file[it.Offset:it.Offset+it.Size]) {
			t.Fatalf("item at %d does not hold the file's bytes", it.Offset)
		}
		switch it.Kind {
		case zframe.Whole:
			ends := it.Frames
			if it.Data == nil {
				if keepAll {
					t.Fatal("a frame was not kept")
				}
				it.Data, ends = file[it.Offset:it.Offset+it.Size], []int{int(it.Size)}
			}
			from := 0
			for _, end := range ends {
				g.shape += fmt.Sprintf("frame %d,", end-from)
				out, err := d.Append(make([]byte, 0, 8<<20), it.Data[from:end])
				if err != nil {
					t.Fatal(err)
				}
				content = append(content, out...)
				from = end
			}
		default:
			g.shape += fmt.Sprintf("%s %d,", [...]string{"", "torn", "bad", "skip"}[it.Kind], it.Size)
		}
	}
	if at != int64(len(file)) {
		t.Fatalf("items end at %d of %d", at, len(file))
	}
	g.content = string(content)
	return g
}

func TestSplit(t *testing.T) {
	one := frame(t, []byte("one\n"))
	two := frame(t, bytes.Repeat([]byte("two\n"), 1000))
	raw := frame(t, noise(2000))
	long := frame(t, noise(zframe.MaxKept+1000))
	unsized := func(b []byte) []byte {
		var out bytes.Buffer
		e, _ := zstd.NewWriter(&out, zstd.WithEncoderConcurrency(1))
		_, _ = e.Write(b)
		_ = e.Flush()
		_, _ = e.Write(b)
		_ = e.Close()
		return out.Bytes()
	}([]byte("unsized\n"))
	bare := frame(t, []byte("bare\n"), zstd.WithEncoderCRC(false))
	empty := frame(t, nil, zstd.WithZeroFrames(true))
	skip := append([]byte{0x5e, 0x2a, 0x4d, 0x18, 5, 0, 0, 0}, "12345"...)
	hugeSkip := []byte{0x50, 0x2a, 0x4d, 0x18, 0xff, 0xff, 0xff, 0xff, 1, 2, 3}
	join := func(parts ...[]byte) []byte { return bytes.Join(parts, nil) }
	two1000 := strings.Repeat("two\n", 1000)
	for _, c := range []struct {
		name  string
		file  []byte
		shape string
		want  string
	}{
		{"nothing", nil, "", ""},
		{"one frame", one, "F1,", "one\n"},
		{"several", join(one, two, unsized, bare, empty, one), "F1,F2,FU,FB,FE,F1,", "one\n" + two1000 + "unsized\nunsized\nbare\none\n"},
		{"a long one between", join(one, long, two), "F1,FL,F2,", "one\n" + string(noise(zframe.MaxKept+1000)) + two1000},
		{"long first", join(long, long), "FL,FL,", strings.Repeat(string(noise(zframe.MaxKept+1000)), 2)},
		{"skippable", join(one, skip, two), "F1,skip 13,F2,", "one\n" + two1000},
		{"skippable that claims 4 GiB", join(one, hugeSkip), "F1,torn 11,", "one\n"},
		{"torn in the checksum", join(one, two[:len(two)-2]), "F1,torn T2,", "one\n"},
		{"torn in the magic", join(one, two[:3]), "F1,torn 3,", "one\n"},
		{"torn in the header", join(one, two[:5]), "F1,torn 5,", "one\n"},
		{"torn long", join(one, long[:zframe.MaxKept]), "F1,torn 1048576,", "one\n"},
		{"zeros behind", join(one, make([]byte, 500_000)), "F1,bad 500000,", "one\n"},
		{"text behind", join(one, []byte("hello")), "F1,bad 5,", "one\n"},
		{"bytes between", join(one, []byte("hello"), two), "F1,bad 5,F2,", "one\n" + two1000},
		{"reserved bit", join(one, []byte("\x28\xb5\x2f\xfd\x08xxxxxxxxxx"), two), "F1,bad 15,F2,", "one\n" + two1000},
		{"cut frame before a whole one", join(one, raw[:1000], one), "F1,bad 1000,F1,", "one\none\n"},
		{"no zstd at all", []byte("{\"type\":\"session\"}\n"), "bad 19,", ""},
	} {
		want := strings.NewReplacer("F1", fmt.Sprint("frame ", len(one)), "F2", fmt.Sprint("frame ", len(two)),
			"FL", fmt.Sprint("frame ", len(long)), "FU", fmt.Sprint("frame ", len(unsized)), "FB", fmt.Sprint("frame ", len(bare)),
			"FE", fmt.Sprint("frame ", len(empty)), "T2", fmt.Sprint(len(two)-2)).Replace(c.shape)
		for _, keepAll := range []bool{false, true} {
			for name, r := range map[string]io.Reader{
				"whole": bytes.NewReader(c.file), "bytes": iotest.OneByteReader(bytes.NewReader(c.file)),
				"half": iotest.HalfReader(bytes.NewReader(c.file)), "data with error": iotest.DataErrReader(bytes.NewReader(c.file)),
			} {
				if name == "bytes" && len(c.file) > 100_000 {
					continue // it takes its time, and the window moves no more often
				}
				t.Run(fmt.Sprint(c.name, "/", name, "/", keepAll), func(t *testing.T) {
					if g := split(t, c.file, r, keepAll); g.shape != want || g.content != c.want {
						t.Errorf("got %q with %d bytes, want %q with %d", g.shape, len(g.content), want, len(c.want))
					}
				})
			}
		}
	}
}

// A file may be cut anywhere: whole frames before the cut, and at most one torn.
func TestCutAnywhere(t *testing.T) {
	a, b := frame(t, []byte("first\n")), frame(t, bytes.Repeat([]byte("second "), 100))
	file := bytes.Join([][]byte{a, b}, nil)
	for n := range file {
		want := ""
		switch {
		case n >= len(a):
			want = fmt.Sprintf("frame %d,", len(a))
			if n > len(a) {
				want += fmt.Sprintf("torn %d,", n-len(a))
			}
		case n > 0:
			want = fmt.Sprintf("torn %d,", n)
		}
		if g := split(t, file[:n], bytes.NewReader(file[:n]), false); g.shape != want {
			t.Errorf("cut at %d: got %q, want %q", n, g.shape, want)
		}
	}
}

func TestReaderError(t *testing.T) {
	f := frame(t, []byte("first\n"))
	broken := errors.New("broken disk")
	s := zframe.NewSplitter(io.MultiReader(bytes.NewReader(f[:len(f)-1]), iotest.ErrReader(broken)))
	if _, err := s.Next(nil); !errors.Is(err, broken) {
		t.Errorf("error %v, want the reader's", err)
	}
}

// A log of many false starts must not take quadratic time.
func TestFalseStarts(t *testing.T) {
	file := bytes.Repeat([]byte("\x28\xb5\x2f\xfd\x00\x00\x00\x00\x10"), 1<<18)
	if g := split(t, file, bytes.NewReader(file), false); g.content != "" {
		t.Errorf("decoded %q", g.content)
	}
}

func TestAppend(t *testing.T) {
	data := bytes.Repeat([]byte("some text that repeats\n"), 1000)
	f := frame(t, data)
	var d zframe.Decoder
	defer d.Close()
	out, err := d.Append(append(make([]byte, 0, 64<<10), "before "...), f)
	if want := "before " + string(data); err != nil || string(out) != want {
		t.Errorf("%d bytes, %v, want %d", len(out), err, len(want))
	}
	if _, err := d.Append(make([]byte, 0, len(data)-1), f); !errors.Is(err, zframe.ErrNoRoom) {
		t.Errorf("one byte too little room: %v", err)
	}
	bad := bytes.Clone(f)
	bad[len(bad)-1] ^= 1
	if _, err := d.Append(make([]byte, 0, 64<<10), bad); !errors.Is(err, zframe.ErrNoRoom) {
		t.Errorf("wrong checksum: %v", err)
	}
	r, err := d.Reader(bytes.NewReader(bad))
	if err == nil {
		_, err = io.Copy(io.Discard, r)
	}
	if err == nil || errors.Is(err, zframe.ErrTorn) || errors.Is(err, zframe.ErrWindow) {
		t.Errorf("wrong checksum, to a Reader: %v", err)
	}
	out, err = d.Append(make([]byte, 0, 64<<10), f[:len(f)-2])
	if !errors.Is(err, zframe.ErrTorn) || !bytes.Equal(out, data) {
		t.Errorf("cut in the checksum: %d bytes, %v, want all and ErrTorn", len(out), err)
	}
}

// Every frame decodes when there is room for it, and with any less it is ErrNoRoom.
func TestRoom(t *testing.T) {
	var d zframe.Decoder
	defer d.Close()
	text := bytes.Repeat([]byte(`{"type":"turn/start","seq":0}`+"\n"), 20_000)
	for _, size := range []int{0, 1, 100, 1000, 130_000, 131_072, 131_073, 300_000, len(text)} {
		for name, f := range map[string][]byte{"text": frame(t, text[:size]), "noise": frame(t, noise(size)), "unsized": unsized(t, text[:size])} {
			if len(f) == 0 {
				continue // of nothing, no frame is made
			}
			for _, room := range []int{0, size / 2, size - 1, size, size + 1, size + 200_000} {
				if room < 0 {
					continue
				}
				out, err := d.Append(make([]byte, 0, room), f)
				if room >= size && (err != nil || len(out) != size) || room < size && !errors.Is(err, zframe.ErrNoRoom) {
					t.Errorf("%s of %d bytes in a room of %d: %d, %v", name, size, room, len(out), err)
				}
			}
		}
	}
}

// unsized is a frame that does not say how much it decodes to, as dsh's do not.
func unsized(t testing.TB, b []byte) []byte {
	var out bytes.Buffer
	e, err := zstd.NewWriter(&out, zstd.WithEncoderConcurrency(1))
	if err != nil {
		t.Fatal(err)
	}
	_, _ = e.Write(b)
	_ = e.Flush()
	_ = e.Close()
	return out.Bytes()
}

// A few bytes may claim gigabytes. Nothing of that size may be allocated.
func TestClaims(t *testing.T) {
	claim := append([]byte("\x28\xb5\x2f\xfd\xc0\x50"), 0, 0, 0, 0, 8, 0, 0, 0) // 32 GiB in a 1 MiB window
	claim = append(claim, 0x01, 0, 0)                                           // one empty last block
	window := append([]byte("\x28\xb5\x2f\xfd\x00\xf8"), 0x01, 0, 0)            // a window of 2 TiB
	var d zframe.Decoder
	defer d.Close()
	for name, f := range map[string][]byte{"content": claim, "window": window} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		if _, err := d.Append(make([]byte, 0, 1<<10), f); err == nil {
			t.Errorf("%s: no error", name)
		}
		r, err := d.Reader(bytes.NewReader(f))
		if err == nil {
			_, err = io.Copy(io.Discard, r)
		}
		if err == nil {
			t.Errorf("%s as a stream: no error", name)
		}
		if name == "window" && !errors.Is(err, zframe.ErrWindow) {
			t.Errorf("window: %v", err)
		}
		runtime.ReadMemStats(&after)
		if n := after.TotalAlloc - before.TotalAlloc; n > 8<<20 {
			t.Errorf("%s: %d bytes were allocated", name, n)
		}
	}
}

// The splitter and the decoder agree with the library's own reading of every real
// log.
func TestRealLogs(t *testing.T) {
	n := 0
	for _, root := range []string{"fixtures/dsh", "inputs"} {
		err := filepath.WalkDir("../../../../testdata/"+root, func(path string, d os.DirEntry, err error) error {
			if err != nil || !strings.HasSuffix(path, ".zstd") {
				return err
			}
			file, err := os.ReadFile(path)
			if err != nil || !zframe.Is(file) {
				return err
			}
			if strings.Contains(path, "corrupt") || strings.Contains(path, "torn") {
				return nil
			}
			z, err := zstd.NewReader(bytes.NewReader(file))
			if err != nil {
				return err
			}
			defer z.Close()
			want, err := io.ReadAll(z)
			if err != nil {
				return fmt.Errorf("%s: %w", path, err)
			}
			if g := split(t, file, bytes.NewReader(file), false); g.content != string(want) || !strings.HasPrefix(g.shape, "frame") {
				t.Errorf("%s: %s, %d bytes, want %d", path, g.shape, len(g.content), len(want))
			}
			n++
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if n < 15 {
		t.Errorf("only %d logs", n)
	}
}

func FuzzSplit(f *testing.F) {
	one, two := frame(f, []byte("one\n")), frame(f, bytes.Repeat([]byte("two\n"), 100))
	f.Add(append(bytes.Clone(one), two...), uint16(7))
	f.Add(append(bytes.Clone(one), two[:len(two)-3]...), uint16(1))
	f.Add(append([]byte{0x5e, 0x2a, 0x4d, 0x18, 5, 0, 0, 0}, "12345xx"...), uint16(3))
	f.Add([]byte("\x28\xb5\x2f\xfd\xc0\x50\x00\x00\x00\x00\x08\x00\x00\x00\x01\x00\x00"), uint16(100))
	f.Fuzz(func(t *testing.T, file []byte, step uint16) {
		shape := func(r io.Reader) (out string) {
			s := zframe.NewSplitter(r)
			var d zframe.Decoder
			defer d.Close()
			room := make([]byte, 0, 1<<20)
			at := int64(0)
			for {
				it, err := s.Next(nil)
				if errors.Is(err, io.EOF) {
					break
				}
				if err != nil || it.Offset != at || it.Size <= 0 {
					t.Fatalf("item %+v, %v, at %d", it, err, at)
				}
				at += it.Size
				from := 0
				for _, end := range it.Frames {
					b, err := d.Append(room, it.Data[from:end])
					out += fmt.Sprint(len(b), err, ",")
					from = end
				}
				out += fmt.Sprint(it.Kind, it.Size, ";")
			}
			if at != int64(len(file)) {
				t.Fatalf("items end at %d of %d", at, len(file))
			}
			return out
		}
		small := shape(&stepReader{bytes.NewReader(file), int(step)%100 + 1})
		if whole := shape(bytes.NewReader(file)); whole != small {
			t.Errorf("read at once: %q, in steps: %q", whole, small)
		}
	})
}

type stepReader struct {
	r io.Reader
	n int
}

func (s *stepReader) Read(p []byte) (int, error) { return s.r.Read(p[:min(len(p), s.n)]) }

func BenchmarkSplit(b *testing.B) {
	var file []byte
	for i := range 2000 {
		file = append(file, frame(b, noise(1000+i%100))...)
	}
	b.SetBytes(int64(len(file)))
	b.ReportAllocs()
	dst := make([]byte, 0, 1<<20)
	for b.Loop() {
		s := zframe.NewSplitter(bytes.NewReader(file))
		for {
			it, err := s.Next(dst)
			if err != nil {
				break
			}
			if it.Data != nil {
				dst = it.Data
			}
		}
	}
}

func BenchmarkAppend(b *testing.B) {
	data := bytes.Repeat([]byte(`{"type":"turn/start","seq":0,"time":1,"data":{"turn":1}}`+"\n"), 200)
	f := frame(b, data)
	var d zframe.Decoder
	defer d.Close()
	b.SetBytes(int64(len(data)))
	b.ReportAllocs()
	dst := make([]byte, 0, 1<<20)
	for b.Loop() {
		if _, err := d.Append(dst, f); err != nil {
			b.Fatal(err)
		}
	}
}
