// Command gen writes the data of bench/run: synthetic dsh session logs. The same
// arguments give the same bytes.
//
//	gen log -mb N [-chat] [-zstd] FILE    one log of about N MB
//	gen store -n N -kb K DIR              a store of N sessions of about K KB each
package main

import (
	"bufio"
	"flag"
	"fmt"
	"io"
	"log"
	"math/rand/v2"
	"os"
	"path/filepath"

	"github.com/klauspost/compress/zstd"
)

func main() {
	log.SetFlags(0)
	log.SetPrefix("gen: ")
	if len(os.Args) < 2 {
		log.Fatal("give log or store")
	}
	var err error
	switch os.Args[1] {
	case "log":
		err = genLog(os.Args[2:])
	case "store":
		err = genStore(os.Args[2:])
	default:
		err = fmt.Errorf("no command %q", os.Args[1])
	}
	if err != nil {
		log.Fatal(err)
	}
}

func genLog(args []string) error {
	fs := flag.NewFlagSet("log", flag.ExitOnError)
	mb := fs.Int("mb", 64, "size of the raw log in MB")
	chat := fs.Bool("chat", false, "messages only: no chunks, no compaction")
	packed := fs.Bool("zstd", false, "one frame for the header, then one for each turn")
	_ = fs.Parse(args)
	f, err := os.Create(fs.Arg(0))
	if err != nil {
		return err
	}
	defer f.Close()
	w := bufio.NewWriterSize(f, 1<<20)
	s := newSession("bench-session", "/home/dev/api-server", 1)
	s.chunks, s.compactEvery = !*chat, 200
	if *chat {
		s.compactEvery = 0
	}
	if err := s.write(batchWriter(w, *packed), *mb<<20); err != nil {
		return err
	}
	return w.Flush()
}

// batchWriter writes each durable batch, as one zstd frame if packed.
func batchWriter(w io.Writer, packed bool) func([]byte) error {
	if !packed {
		return func(b []byte) error { _, err := w.Write(b); return err }
	}
	enc, err := zstd.NewWriter(nil, zstd.WithEncoderCRC(true))
	if err != nil {
		return func([]byte) error { return err }
	}
	var buf []byte
	return func(b []byte) error {
		buf = enc.EncodeAll(b, buf[:0])
		_, err := w.Write(buf)
		return err
	}
}

func genStore(args []string) error {
	fs := flag.NewFlagSet("store", flag.ExitOnError)
	n := fs.Int("n", 1000, "sessions")
	kb := fs.Int("kb", 8, "size of each in KB")
	_ = fs.Parse(args)
	for i := range *n {
		id := fmt.Sprintf("session-%06d", i)
		dir := filepath.Join(fs.Arg(0), fmt.Sprintf("--home-dev-project-%d--", i%40), id)
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return err
		}
		f, err := os.Create(filepath.Join(dir, "session.jsonl"))
		if err != nil {
			return err
		}
		w := bufio.NewWriterSize(f, 1<<16)
		s := newSession(id, fmt.Sprintf("/home/dev/project-%d", i%40), uint64(i))
		s.chunks = true
		err = s.write(batchWriter(w, false), *kb<<10)
		if err == nil {
			err = w.Flush()
		}
		f.Close()
		if err != nil {
			return err
		}
	}
	return nil
}

var words = []string{
	"lock", "retry", "backoff", "deadline", "the", "queue", "drains", "before", "its", "worker", "stops;",
	"重试", "退避", "🚀", "<tag>", `\path`, `"quoted"`, "naïve",
}

func text(r *rand.Rand, n int) string {
	b := make([]byte, 0, n+16)
	for len(b) < n {
		b = append(append(b, words[r.IntN(len(words))]...), ' ')
	}
	return string(b)
}
