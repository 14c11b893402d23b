package model

import (
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"

	"github.com/klauspost/compress/zstd"
)

// maxBody is the most bytes of one request that are read.
const maxBody = 64 << 20

// Request is one request as it came.
type Request struct {
	N    int             // its number, from 1
	Path string          // of its URL, without the query
	Body json.RawMessage // as JSON, decompressed
}

// Server is a model that listens. Its methods may be called at the same time.
type Server struct {
	http *http.Server
	url  string

	mu       sync.Mutex
	requests []Request
	busy     int
	arrived  chan struct{} // closed, and made anew, when a request has come
	release  chan struct{} // closed, and made anew, by Release
}

// Start listens at a free port of this machine.
func Start() (*Server, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("starting the model: %w", err)
	}
	s := &Server{
		url: "http://" + listener.Addr().String(), arrived: make(chan struct{}), release: make(chan struct{}),
	}
	s.http = &http.Server{Handler: s}
	go s.http.Serve(listener) //nolint:errcheck // ends with Close
	return s, nil
}

// URL is where it listens, without a slash at the end.
func (s *Server) URL() string { return s.url }

// Close ends it, and every answer that is still held back.
func (s *Server) Close() error { return s.http.Close() }

// Release lets every answer that is held back now go on.
func (s *Server) Release() {
	s.mu.Lock()
	defer s.mu.Unlock()
	close(s.release)
	s.release = make(chan struct{})
}

// Since is the requests behind the first n, and a channel that is closed when the next
// one comes.
func (s *Server) Since(n int) ([]Request, <-chan struct{}) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]Request(nil), s.requests[min(n, len(s.requests)):]...), s.arrived
}

// Count is how many requests have come.
func (s *Server) Count() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.requests)
}

// keep records a request, and gives the channel that a slow answer to it waits for.
func (s *Server) keep(path string, body []byte) (n int, release <-chan struct{}) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.busy++
	n = len(s.requests) + 1
	s.requests = append(s.requests, Request{N: n, Path: path, Body: body})
	close(s.arrived)
	s.arrived = make(chan struct{})
	return n, s.release
}

func (s *Server) answered() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.busy--
}

// Busy is whether a request has not been answered to its end.
func (s *Server) Busy() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.busy > 0
}

// protocol is one way to ask a model.
type protocol interface {
	// read takes a request apart.
	read(path string, body []byte) (asked, error)
	// whole is the answer as one JSON value.
	whole(asked, said) any
	// events is the answer as a stream. The first holds no more than the first words.
	events(asked, said) []event
}

// event is one event of a stream; its data is a JSON value, or a string that is sent as
// it is.
type event struct {
	name string
	data any
}

// speaks is the protocol of a path, nil where no protocol has it.
func speaks(path string) protocol {
	switch {
	case strings.HasSuffix(path, "/messages"):
		return anthropic{}
	case strings.HasSuffix(path, "/responses"):
		return responses{}
	case strings.HasSuffix(path, "/chat/completions"):
		return chat{}
	case strings.HasSuffix(path, "enerateContent"): // generateContent, streamGenerateContent
		return gemini{}
	}
	return nil
}

// ServeHTTP answers one request.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodPost {
		writeJSON(w, models)
		return
	}
	body, err := readBody(r)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	p := speaks(r.URL.Path)
	if p == nil { // counting tokens, telemetry
		writeJSON(w, map[string]any{"input_tokens": 100, "totalTokens": 100})
		return
	}
	n, release := s.keep(r.URL.Path, body)
	defer s.answered()
	ask, err := p.read(r.URL.Path, body)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	ask.n = n
	answer := decide(ask)
	if !ask.stream {
		if answer.slow {
			wait(r, release)
		}
		writeJSON(w, p.whole(ask, answer))
		return
	}
	w.Header().Set("Content-Type", "text/event-stream")
	for i, e := range p.events(ask, answer) {
		if i == firstWords && answer.slow && !wait(r, release) {
			return
		}
		if err := writeEvent(w, e); err != nil {
			return // the agent went away
		}
	}
}

// wait is until release, and false when the agent went away before.
func wait(r *http.Request, release <-chan struct{}) bool {
	select {
	case <-release:
		return true
	case <-r.Context().Done():
		return false
	}
}

// models answers every request for a list of models.
var models = map[string]any{
	"object": "list",
	"data":   []any{map[string]any{"id": "fake", "object": "model"}},
	"models": []any{map[string]any{"slug": "fake", "name": "models/fake"}},
}

// readBody is a request's body, decompressed, which must be JSON.
func readBody(r *http.Request) ([]byte, error) {
	var in io.Reader = r.Body
	switch encoding := r.Header.Get("Content-Encoding"); encoding {
	case "":
	case "gzip":
		unzipped, err := gzip.NewReader(in)
		if err != nil {
			return nil, err
		}
		in = unzipped
	case "zstd":
		decoder, err := zstd.NewReader(in)
		if err != nil {
			return nil, err
		}
		defer decoder.Close()
		in = decoder
	default:
		return nil, fmt.Errorf("a body in %q", encoding)
	}
	body, err := io.ReadAll(io.LimitReader(in, maxBody))
	if err != nil {
		return nil, err
	}
	if !json.Valid(body) {
		return nil, errors.New("the body is not JSON")
	}
	return body, nil
}

func writeJSON(w http.ResponseWriter, value any) {
	w.Header().Set("Content-Type", "application/json")
	json.NewEncoder(w).Encode(value) //nolint:errcheck // the agent went away
}

func writeEvent(w http.ResponseWriter, e event) error {
	text, ok := e.data.(string)
	if !ok {
		data, err := json.Marshal(e.data)
		if err != nil {
			return err
		}
		text = string(data)
	}
	if e.name != "" {
		text = "event: " + e.name + "\ndata: " + text
	} else {
		text = "data: " + text
	}
	if _, err := io.WriteString(w, text+"\n\n"); err != nil {
		return err
	}
	return http.NewResponseController(w).Flush()
}
