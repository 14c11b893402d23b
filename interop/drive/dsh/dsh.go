// Package dsh drives dsh through the interface of "dsh web".
package dsh

import (
	"errors"
	"fmt"
	"net"
	"net/http"
	"path/filepath"
	"strconv"

	"github.com/dsh-toolkit/dsh/interop/drive"
	"github.com/dsh-toolkit/dsh/interop/oracle"
)

// Agent is dsh.
var Agent = &drive.Agent{
	Name: "dsh", Title: "dsh", Package: "@deepseek-ai/dsh", Version: "0.1.0-rc.8", Program: "dsh",
	Rules: oracle.Dsh, Setup: setup, Start: start, Files: []string{".dsh/sessions"},
	NoWay: map[string]string{
		"rewind": "its interface has no method that takes a turn back",
		"hook":   "it reads mentions by itself and runs no command of ours",
	},
	NotTried: map[string]string{
		"typed":      "its web page speaks to the interface that is driven here",
		"compaction": "the suite does not send its commands yet",
		"carried":    "the suite does not compare what dsh makes of a mention yet",
	},
}

func setup(w *drive.World, _ bool) error {
	w.Env("DEEPSEEK_API_KEY=x", "DEEPSEEK_BASE_URL="+w.Model.URL()+"/v1")
	return nil
}

// session is one session, and the server while it runs.
type session struct {
	w     *drive.World
	id    string
	begun bool
	web   *drive.Web
	calls int
}

func start(w *drive.World) (drive.Session, error) { return &session{w: w}, nil }

func (s *session) ID() (string, error) {
	if !s.begun {
		return "", nil
	}
	return s.id, nil
}

func (s *session) logs() string { return filepath.Join(s.w.Home, ".dsh", "sessions") }

// freePort is a port at which nothing listens now.
func freePort() (string, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	defer listener.Close() //nolint:errcheck // it was never used
	return strconv.Itoa(listener.Addr().(*net.TCPAddr).Port), nil
}

// open starts the server, and the session where there is none.
func (s *session) open() error {
	if s.web != nil {
		return nil
	}
	port, err := freePort()
	if err != nil {
		return err
	}
	if s.web, err = s.w.Serve("web", "--no-open", "--port", port); err != nil {
		return err
	}
	if s.id != "" {
		return nil
	}
	var created struct{ SessionID string }
	err = s.call("session.create", map[string]any{"cwd": s.w.Work}, &created)
	s.id = created.SessionID
	return err
}

// call waits for the value of a method.
func (s *session) call(method string, payload, value any) error {
	if err := s.open(); err != nil {
		return err
	}
	s.calls++
	request := map[string]any{"type": "client-request", "rpcId": fmt.Sprintf("interop-%d", s.calls), "method": method, "payload": payload}
	answer := struct {
		Result struct {
			OK    bool
			Error struct{ Code, Message string }
			Value any
		}
	}{}
	answer.Result.Value = value
	if err := s.web.Call(http.MethodPost, "/api/"+method, request, &answer); err != nil {
		return err
	}
	if !answer.Result.OK {
		return fmt.Errorf("%s: %s: %s", method, answer.Result.Error.Code, answer.Result.Error.Message)
	}
	return nil
}

func (s *session) say(text, mode string) error {
	return s.call("session.prompt", map[string]any{
		"sessionId": s.id, "mode": mode, "content": []any{map[string]any{"type": "text", "text": text}},
	}, nil)
}

func (s *session) Prompt(text string) error {
	if err := s.Begin(text); err != nil {
		return err
	}
	return s.Wait()
}

func (s *session) Begin(text string) error {
	if err := s.open(); err != nil {
		return err
	}
	mark := s.w.Model.Count()
	if err := s.say(text, "queue"); err != nil {
		return err
	}
	s.begun = true
	return s.w.Asked(mark, func(r oracle.Request) bool { return oracle.EndsWith(oracle.Dsh(r.Items), text) })
}

// listed is the session in the server's list.
type listed struct {
	SessionID   string
	Running     bool
	Projections struct{ Values struct{ Title *string } }
}

func (s *session) find() (listed, error) {
	var list struct{ Items []listed }
	if err := s.call("session.list", map[string]any{}, &list); err != nil {
		return listed{}, err
	}
	for _, item := range list.Items {
		if item.SessionID == s.id {
			return item, nil
		}
	}
	return listed{}, errors.New("the session is not in dsh's list")
}

func (s *session) Wait() error {
	err := s.w.Follow("the end of a turn", func() (bool, error) {
		item, err := s.find()
		return !item.Running, err
	})
	return errors.Join(err, s.w.Settled(s.logs()))
}

func (s *session) Interrupt() error {
	return s.call("session.cancel", map[string]any{"sessionId": s.id}, nil)
}

func (s *session) Steer(text string) error { return s.say(text, "steer") }

func (s *session) Fork() (drive.Session, error) {
	var forked struct{ SessionID string }
	if err := s.call("session.fork", map[string]any{"sessionId": s.id}, &forked); err != nil {
		return nil, err
	}
	if err := s.Close(); err != nil { // two servers at one session destroy it
		return nil, err
	}
	return &session{w: s.w, id: forked.SessionID, begun: true}, nil
}

// Title is the session's in the server's list; one that has none is shown by its id.
func (s *session) Title() (string, error) {
	item, err := s.find()
	if err != nil || item.Projections.Values.Title == nil {
		return s.id, errors.Join(err, s.Close())
	}
	return *item.Projections.Values.Title, s.Close()
}

func (s *session) Close() error {
	if s.web == nil {
		return nil
	}
	web := s.web
	s.web = nil
	return web.Close()
}
