package web_test

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/macemc/macemc/internal/check"
	"github.com/macemc/macemc/internal/task/remote"
	"github.com/macemc/macemc/internal/web"
	"github.com/macemc/macemc/mdb"
	"github.com/macemc/macemc/systems"
	"github.com/macemc/macemc/systems/spec"
)

// session opens a bundled system at its first state.
func session(t testing.TB, system string) *mdb.Session {
	t.Helper()
	entry, err := spec.Find(systems.All(), system)
	if err != nil {
		t.Fatal(err)
	}
	s, err := check.NewSubject(entry, check.Wanted{})
	if err != nil {
		t.Fatal(err)
	}
	debugger, err := mdb.Open(mdb.Config{System: &s.System, Header: s.Header(0)})
	if err != nil {
		t.Fatal(err)
	}
	return debugger
}

// served is a server that runs until the test ends.
type served struct {
	t       testing.TB
	address string // of the page
	end     chan error
	cancel  context.CancelFunc
	server  *web.Server
}

func serve(t testing.TB, s mdb.Debugger, text string) *served {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	w := &served{t: t, end: make(chan error, 1), cancel: cancel, server: web.New(s, text)}
	started := make(chan string)
	go func() { w.end <- w.server.Serve(ctx, l, func(address string) { started <- address }) }()
	w.address = <-started
	t.Cleanup(cancel)
	return w
}

// outcome is the answer to a command.
type outcome struct {
	Text, Error   string
	Stopped, Over bool
	View          mdb.View
}

// send posts a body and returns the status and the answer.
func (w *served) send(ctx context.Context, name, body string) (status int, answer []byte) {
	w.t.Helper()
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, w.address+name, strings.NewReader(body))
	if err != nil {
		w.t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/json")
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		w.t.Fatal(err)
	}
	defer response.Body.Close()
	answer, err = io.ReadAll(response.Body)
	if err != nil {
		w.t.Fatal(err)
	}
	return response.StatusCode, answer
}

// do executes a command.
func (w *served) do(line string) (o outcome) {
	w.t.Helper()
	question, err := json.Marshal(map[string]string{"line": line})
	if err != nil {
		w.t.Fatal(err)
	}
	status, answer := w.send(w.t.Context(), "do", string(question))
	if status != http.StatusOK {
		w.t.Fatalf("%s: status %d: %s", line, status, answer)
	}
	if err := json.Unmarshal(answer, &o); err != nil {
		w.t.Fatal(err)
	}
	return o
}

// Only requests with the token, for the host's own name, and from no other page are answered.
func TestServer_Refuses(t *testing.T) {
	s := web.New(session(t, "pingack"), "")
	const host = "127.0.0.1:8080"
	token := ""
	started := func(address string) { token = strings.Split(address, "/")[3] }
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if err := s.Serve(ended, l, started); err != nil {
		t.Fatal(err)
	}
	if len(token) < 26 {
		t.Fatalf("the token is %q", token)
	}
	other := strings.Repeat("A", len(token))
	const json = `{"line":""}`
	for _, c := range []struct {
		method, path, host, origin, kind, body string
		want                                   int
	}{
		{"GET", "/" + token + "/", host, "", "", "", 200},
		{"GET", "/" + token + "/page.js", host, "", "", "", 200},
		{"GET", "/" + token + "/page.css", host, "http://" + host, "", "", 200},
		{"POST", "/" + token + "/do", host, "http://" + host, "application/json", json, 200},
		{"POST", "/" + token + "/complete", host, "", "application/json", json, 200},
		{"GET", "/", host, "", "", "", 403},
		{"GET", "/favicon.ico", host, "", "", "", 403},
		{"GET", "/page.js", host, "", "", "", 403},
		{"GET", "/" + other + "/", host, "", "", "", 403},
		{"GET", "/" + token[1:] + "/", host, "", "", "", 403},
		{"GET", "/x/" + token + "/", host, "", "", "", 403},
		{"GET", "/?token=" + token, host, "", "", "", 403},
		{"POST", "/do", host, "", "application/json", json, 403},
		{"GET", "/" + token + "/", "localhost:8080", "", "", "", 403},
		{"GET", "/" + token + "/", "evil.example", "", "", "", 403},
		{"GET", "/" + token + "/", "evil.example:8080", "", "", "", 403},
		{"GET", "/" + token + "/", "127.0.0.1", "", "", "", 403},
		{"POST", "/" + token + "/do", host, "http://evil.example", "application/json", json, 403},
		{"POST", "/" + token + "/do", host, "https://" + host, "application/json", json, 403},
		{"POST", "/" + token + "/do", host, "null", "application/json", json, 403},
		{"POST", "/" + token + "/do", "evil.example", "http://evil.example", "application/json", json, 403},
		{"GET", "/" + token + "/do", host, "", "", "", 405},
		{"GET", "/" + token + "/server.go", host, "", "", "", 404},
		{"POST", "/" + token + "/do", host, "", "text/plain", json, 400},
		{"POST", "/" + token + "/do", host, "", "application/json", `{"lines":""}`, 400},
		{"POST", "/" + token + "/do", host, "", "application/json", `{"line":"` + strings.Repeat("x", 1<<16) + `"}`, 400},
	} {
		r := httptest.NewRequest(c.method, c.path, strings.NewReader(c.body))
		r.Host = c.host
		for name, value := range map[string]string{"Origin": c.origin, "Content-Type": c.kind} {
			if value != "" {
				r.Header.Set(name, value)
			}
		}
		w := httptest.NewRecorder()
		s.Handler(host).ServeHTTP(w, r)
		if w.Code != c.want {
			t.Errorf("%s %s of %s from %q: status %d, want %d: %s", c.method, c.path, c.host, c.origin, w.Code, c.want, w.Body)
		}
		if w.Code != 200 && strings.Contains(w.Body.String(), token) {
			t.Errorf("%s %s tells the token: %s", c.method, c.path, w.Body)
		}
		policy := w.Header().Get("Content-Security-Policy")
		if !strings.HasPrefix(policy, "default-src 'none'; script-src 'self';") || strings.Contains(policy, "unsafe") || w.Header().Get("Access-Control-Allow-Origin") != "" {
			t.Errorf("%s %s: policy %q", c.method, c.path, policy)
		}
	}
}

// A file that exists is not overwritten.
func TestServer_SavesOnce(t *testing.T) {
	w := serve(t, session(t, "pingack"), "")
	file := filepath.Join(t.TempDir(), "it's.path")
	quoted := `"` + file + `"`
	if o := w.do("take 0; save " + quoted); o.Error != "" || !strings.Contains(o.Text, "1 steps are in "+file) {
		t.Fatalf("%s: %s", o.Text, o.Error)
	}
	before, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if o := w.do("take 0; save " + quoted); !strings.Contains(o.Error, "exists already and is not overwritten") {
		t.Errorf("the error is %q", o.Error)
	}
	if after, err := os.ReadFile(file); err != nil || !bytes.Equal(before, after) {
		t.Errorf("%v: the file is\n%s\nit was\n%s", err, after, before)
	}
}

// The first answer has the output of the commands that were executed before; later ones have not.
func TestServer_First(t *testing.T) {
	w := serve(t, session(t, "pingack"), "(mdb) info\n")
	for range 2 { // a page that is loaded again shows it, too
		if o := w.do(""); o.Text != "(mdb) info\n" || o.View.At.System != "pingack" {
			t.Errorf("%q at %+v", o.Text, o.View.At)
		}
	}
	w.do("take 0")
	if o := w.do(""); o.Text != "" || o.View.At.Step != 1 {
		t.Errorf("%q at %+v", o.Text, o.View.At)
	}
}

// "quit" asks about branches, and then ends the server.
func TestServer_Quit(t *testing.T) {
	w := serve(t, session(t, "pingack"), "")
	w.do("take 0")
	if got := w.server.Unsaved(); len(got) != 1 || got[0] != "branch1" {
		t.Errorf("not saved: %q", got)
	}
	if o := w.do("quit"); o.Over || !strings.Contains(o.Error, "branch1 not saved") {
		t.Errorf("got %+v, want an error: branch1 not saved", o)
	}
	if o := w.do("quit"); !o.Over || o.Error != "" {
		t.Errorf("got %+v, want the end", o)
	}
	if err := <-w.end; err != nil {
		t.Error(err)
	}
	if got := w.server.Unsaved(); got != nil {
		t.Errorf("not saved: %q", got)
	}
	if _, err := http.Get(w.address); err == nil {
		t.Error("the server still answers")
	}
}

// The end of a request stops its command, and the next one is executed.
func TestServer_Stop(t *testing.T) {
	s := &slow{Session: session(t, "pingack"), began: make(chan struct{}, 1)}
	w := serve(t, s, "")
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error)
	go func() {
		r, err := http.NewRequestWithContext(ctx, http.MethodPost, w.address+"do", strings.NewReader(`{"line":"wait"}`))
		if err == nil {
			r.Header.Set("Content-Type", "application/json")
			_, err = http.DefaultClient.Do(r)
		}
		ended <- err
	}()
	<-s.began
	cancel()
	if err := <-ended; err == nil {
		t.Error("the request was answered")
	}
	if o := w.do("take 0"); o.Error != "" || o.View.At.Step != 1 {
		t.Errorf("got %+v, want step 1", o)
	}
	// The end of the context ends the server, even if a command does not end.
	go func() {
		r, err := http.Post(w.address+"do", "application/json", strings.NewReader(`{"line":"hang"}`))
		if err == nil {
			r.Body.Close()
		}
	}()
	<-s.began
	w.cancel()
	select {
	case err := <-w.end:
		if err != nil {
			t.Error(err)
		}
	case <-time.After(time.Minute):
		t.Error("the server does not end")
	}
	if got := w.server.Unsaved(); got != nil {
		t.Errorf("the session is used: %q", got)
	}
}

// slow is a session with two more commands: "wait" ends when it is stopped, "hang" never does.
type slow struct {
	*mdb.Session
	began chan struct{}
}

func (s *slow) Do(ctx context.Context, line string, w io.Writer) error {
	switch line {
	case "wait":
		s.began <- struct{}{}
		<-ctx.Done()
		return ctx.Err()
	case "hang":
		s.began <- struct{}{}
		select {}
	}
	return s.Session.Do(ctx, line, w)
}

// A session in another process that has ended is an error in the page, as in the terminal.
func TestServer_ProcessEnded(t *testing.T) {
	w := serve(t, remote.Debugger(func(context.Context, remote.Question) remote.Answer {
		return remote.Answer{Error: "the process that executes the run has ended"}
	}), "")
	if o := w.do("take 0"); o.Error != "the process that executes the run has ended" || o.View.Err != o.Error {
		t.Errorf("got %+v, want the end of the process as its error", o)
	}
}

func TestServer_Complete(t *testing.T) {
	w := serve(t, session(t, "pingack"), "")
	status, answer := w.send(t.Context(), "complete", `{"line":"take 0; opt"}`)
	if status != 200 || strings.TrimSpace(string(answer)) != `{"words":["options"],"begin":8}` {
		t.Errorf("status %d: %s", status, answer)
	}
}
