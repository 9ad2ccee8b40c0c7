// Package web serves a debugging session to browsers. The page has no state of a session: it sends commands of the debugger, and draws the
// view that the session returns.
package web

import (
	"bytes"
	"context"
	"crypto/rand"
	"crypto/subtle"
	_ "embed"
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/macemc/macemc/eventgraph"
	"github.com/macemc/macemc/mdb"
)

var (
	//go:embed page.html
	pageMarkup string
	//go:embed page.css
	pageStyle string
	//go:embed page.js
	pageScript string
)

// policy forbids the page everything but its own files, and to be part of another page.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src data:; base-uri 'none'; " +
	"form-action 'none'; frame-ancestors 'none'"

// Server serves a session to those who know its token.
type Server struct {
	session mdb.Debugger
	token   string
	first   string        // output of the commands before
	turn    chan struct{} // holds a value while a request uses the session
	over    chan struct{} // closed when the session is over
	once    sync.Once
	unsaved []string // runs that were not saved when the session was used last
}

// New returns a server for a session. text is the output of the commands that were already executed.
func New(s mdb.Debugger, text string) *Server {
	return &Server{session: s, token: rand.Text(), first: text, turn: make(chan struct{}, 1), over: make(chan struct{})}
}

// Serve answers requests on l, whose address names the host, until the session is over or ctx is done. Then the session must not be used
// if a command is still executing. started is called with the address of the page.
func (s *Server) Serve(ctx context.Context, l net.Listener, started func(address string)) error {
	server := &http.Server{Handler: s.Handler(l.Addr().String()), ReadHeaderTimeout: 10 * time.Second}
	ended := make(chan error, 1)
	go func() { ended <- server.Serve(l) }()
	started("http://" + l.Addr().String() + s.path(""))
	select {
	case err := <-ended:
		return err
	case <-ctx.Done():
	case <-s.over:
	}
	last, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Second) // for the answer in progress
	defer cancel()
	if server.Shutdown(last) != nil {
		return server.Close()
	}
	return nil
}

// Unsaved returns the runs that were not saved when the session was used last.
func (s *Server) Unsaved() []string {
	select {
	case s.turn <- struct{}{}:
		defer s.release()
		return s.unsaved
	default: // a command is still executing
		return nil
	}
}

func (s *Server) release() { <-s.turn }

func (s *Server) path(name string) string { return "/" + s.token + "/" + name }

// Handler returns the handler for a host, such as 127.0.0.1:8080.
func (s *Server) Handler(host string) http.Handler {
	mux := http.NewServeMux()
	for name, file := range map[string]struct{ kind, text string }{
		"{$}":      {"text/html", pageMarkup},
		"page.css": {"text/css", string(new(eventgraph.View).Style()) + pageStyle},
		"page.js":  {"text/javascript", pageScript},
	} {
		mux.HandleFunc("GET "+s.path(name), func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", file.kind+"; charset=utf-8")
			_, _ = io.WriteString(w, file.text) // the reader may be gone
		})
	}
	handle(mux, s.path("do"), s.do)
	handle(mux, s.path("complete"), s.complete)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Content-Security-Policy", policy)
		h.Set("Cache-Control", "no-store")
		h.Set("Referrer-Policy", "no-referrer")
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Cross-Origin-Opener-Policy", "same-origin")
		h.Set("Cross-Origin-Resource-Policy", "same-origin")
		if why := s.refuses(r, host); why != "" {
			http.Error(w, "macemc: "+why, http.StatusForbidden)
			return
		}
		mux.ServeHTTP(w, r)
	})
}

// refuses returns why a request is refused; an empty string means that it is not. A page of another site can send requests here, also under
// another name for this host. It has neither the token nor the host's own name and origin.
func (s *Server) refuses(r *http.Request, host string) string {
	token, _, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/"), "/")
	origin := r.Header.Get("Origin")
	switch {
	case r.Host != host:
		return "the request is for another host"
	case origin != "" && origin != "http://"+host:
		return "the request is from another site"
	case subtle.ConstantTimeCompare([]byte(token), []byte(s.token)) == 0:
		return "the address lacks the token that macemc printed"
	}
	return ""
}

// maxRequest is the maximum length of a request in bytes.
const maxRequest = 1 << 16

// handle adds a handler that has a question and an answer in JSON.
func handle[Q, A any](mux *http.ServeMux, path string, do func(context.Context, Q) (A, error)) {
	mux.HandleFunc("POST "+path, func(w http.ResponseWriter, r *http.Request) {
		var q Q
		d := json.NewDecoder(http.MaxBytesReader(w, r.Body, maxRequest))
		d.DisallowUnknownFields()
		if err := d.Decode(&q); err != nil || r.Header.Get("Content-Type") != "application/json" {
			http.Error(w, "macemc: the request is not the expected JSON", http.StatusBadRequest)
			return
		}
		a, err := do(r.Context(), q)
		if err != nil {
			http.Error(w, "macemc: "+err.Error(), http.StatusServiceUnavailable)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(a) // the reader may be gone
	})
}

// command is a question: a line to execute. An empty line executes nothing.
type command struct {
	Line   string `json:"line"`
	Beside bool   `json:"beside"` // the answer contains the run to compare with
}

// outcome is the answer to a command: its output, its error, and the state of the session after it.
type outcome struct {
	Text    string   `json:"text"`
	Error   string   `json:"error"`
	Stopped bool     `json:"stopped"`
	Over    bool     `json:"over"`
	View    mdb.View `json:"view"`
}

// shown returns what the page shows. One graph fits a window of 800 pixels, and two side by side one of 1,400.
func shown(beside bool) mdb.Wanted {
	w := mdb.Wanted{Image: 735, Options: true, Differences: true, Source: 6}
	if beside {
		w.Image, w.Comparison = 640, 640
	}
	return w
}

// do executes a command, one at a time. The end of the request cancels it.
func (s *Server) do(ctx context.Context, c command) (outcome, error) {
	select {
	case s.turn <- struct{}{}:
		defer s.release()
	case <-ctx.Done():
		return outcome{}, ctx.Err()
	}
	o := outcome{Text: s.first}
	if c.Line != "" {
		var text bytes.Buffer
		err := s.session.Do(ctx, c.Line, &text)
		o.Text = text.String()
		switch {
		case errors.Is(err, mdb.ErrQuit):
			o.Over, s.unsaved = true, nil
			s.once.Do(func() { close(s.over) })
			return o, nil
		case errors.Is(err, context.Canceled):
			o.Stopped = true
		case err != nil:
			o.Error = err.Error()
		}
		s.first = ""
	}
	o.View = s.session.View(shown(c.Beside))
	s.unsaved = nil
	for _, r := range o.View.Runs {
		if r.Unsaved {
			s.unsaved = append(s.unsaved, r.Name)
		}
	}
	return o, nil
}

type completion struct {
	Words []string `json:"words"`
	Begin int      `json:"begin"`
}

func (s *Server) complete(ctx context.Context, c command) (completion, error) {
	select {
	case s.turn <- struct{}{}:
		defer s.release()
	case <-ctx.Done():
		return completion{}, ctx.Err()
	}
	words, begin := s.session.Complete(c.Line)
	return completion{words, begin}, nil
}
