package main

import (
	"fmt"
	"math/rand/v2"

	"github.com/dsh-toolkit/dsh/lib/jstext"
)

// session writes one log, turn by turn, in the shape of real ones: most records
// are chunks of streamed answers.
type session struct {
	chunks       bool
	compactEvery int // turns; 0: never

	r       *rand.Rand
	id, cwd string
	seq     int
	time    int64
	batch   []byte
	surface []int
}

func newSession(id, cwd string, seed uint64) *session {
	return &session{r: rand.New(rand.NewPCG(seed, 7)), id: id, cwd: cwd, time: 1_780_000_000_000}
}

func (s *session) write(flush func([]byte) error, size int) error {
	s.batch = fmt.Appendf(s.batch, `{"type":"session","version":0,"id":%s,"createdAt":%d,"cwd":%s,"delegationDepth":0}`+"\n",
		jstext.Quote(s.id), s.time, jstext.Quote(s.cwd))
	written := 0
	for turn := 1; ; turn++ {
		written += len(s.batch)
		if err := flush(s.batch); err != nil || written >= size {
			return err
		}
		s.batch = s.batch[:0]
		s.turn(turn)
	}
}

func (s *session) turn(turn int) {
	s.event("turn/start", fmt.Sprintf(`{"turn":%d,"trigger":{"kind":"message","source":{"kind":"user"}}}`, turn), "")
	s.node("user/message", fmt.Sprintf(`{"content":%s,"source":{"kind":"user"}}`, textBlocks(text(s.r, 120))))
	if turn == 1 {
		s.event("session/title", fmt.Sprintf(`{"title":%s,"messageSeqs":[1],"source":{"kind":"fallback"}}`, jstext.Quote("title of "+s.id)), "")
	}
	s.event("step/start", fmt.Sprintf(`{"turn":%d,"step":1}`, turn), "")
	answer := text(s.r, 2000)
	if s.chunks {
		s.stream(turn, answer)
	}
	s.node("assistant/message", fmt.Sprintf(`{"turn":%d,"step":1,"content":%s,"provenance":{"provider":"p","model":"m"}}`, turn, textBlocks(answer)))
	s.event("step/end", fmt.Sprintf(`{"turn":%d,"step":1}`, turn), "")
	s.event("turn/end", fmt.Sprintf(`{"turn":%d,"reason":{"kind":"completed"}}`, turn), "")
	if s.compactEvery > 0 && turn%s.compactEvery == 0 {
		s.compact()
	}
}

func (s *session) stream(turn int, answer string) {
	runes := []rune(answer)
	for len(runes) > 0 {
		n := min(len(runes), 3+s.r.IntN(6))
		s.event("assistant/chunk", fmt.Sprintf(`{"turn":%d,"step":1,"chunk":{"type":"text-delta","index":0,"text":%s}}`,
			turn, jstext.Quote(string(runes[:n]))), "")
		runes = runes[n:]
	}
}

// compact replaces the whole surface by a checkpoint.
func (s *session) compact() {
	var w jstext.Writer
	w.BeginArray()
	for _, seq := range s.surface {
		w.Int(int64(seq))
	}
	w.EndArray()
	first, last := s.surface[0], s.surface[len(s.surface)-1]
	extra := fmt.Sprintf(`,"sourceEventSeqs":%s,"surfaceOp":{"op":"replace","start":%d,"end":%d}`, w.String(), first, last)
	s.surface = []int{s.seq}
	s.event("user/message", fmt.Sprintf(`{"content":%s,"source":{"kind":"plugin","plugin":"compact"}}`, textBlocks(text(s.r, 3000))), extra)
}

func (s *session) node(typ, data string) {
	s.surface = append(s.surface, s.seq)
	s.event(typ, data, `,"surfaceOp":"append"`)
}

func (s *session) event(typ, data, extra string) {
	s.time += int64(s.r.IntN(40))
	s.batch = fmt.Appendf(s.batch, `{"type":"%s","seq":%d,"time":%d,"data":%s%s}`+"\n", typ, s.seq, s.time, data, extra)
	s.seq++
}

func textBlocks(s string) string {
	return `[{"type":"text","text":` + jstext.Quote(s) + `}]`
}
