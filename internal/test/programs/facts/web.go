package facts

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"expvar"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"syscall"
	"time"
)

// serve starts a server on a free port of the loopback address.
func serve(h http.HandlerFunc) (url string, stop func()) {
	l := must(net.Listen("tcp", "127.0.0.1:0"))
	s := &http.Server{Handler: h, ErrorLog: slog.NewLogLogger(slog.DiscardHandler, 0)}
	go s.Serve(l)
	return "http://" + l.Addr().String(), func() { s.Close() }
}

// get returns status, text and error of a request.
func get(url string) any {
	answer, err := http.Get(url)
	if err != nil {
		return errors.Unwrap(err)
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	return []any{answer.Status, string(text), answer.Header.Get("Content-Type"), err}
}

var ofHTTP = map[string]fact{
	"http: get": func() any {
		u, stop := serve(func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, "text "+r.URL.Path) })
		defer stop()
		return get(u + "/a")
	},
	"http: missing": func() any { u, stop := serve(http.NotFound); defer stop(); return get(u) },
	"http: refused": func() any { return errors.Is(get("http://127.0.0.1:9").(error), syscall.ECONNREFUSED) },
	"http: bad":     func() any { return get("http://127.0.0.1:9:9") },
	"http: panic": func() any {
		u, stop := serve(func(http.ResponseWriter, *http.Request) { panic("no") })
		defer stop()
		return get(u)
	},
	"http: redirect": func() any {
		u, stop := serve(func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path != "/b" {
				http.Redirect(w, r, "/b", http.StatusFound)
			}
		})
		defer stop()
		return get(u + "/a")
	},
	"http: post": func() any {
		u, stop := serve(func(w http.ResponseWriter, r *http.Request) { io.Copy(w, r.Body) })
		defer stop()
		answer := must(http.Post(u, "text/plain", strings.NewReader("sent")))
		defer answer.Body.Close()
		return string(must(io.ReadAll(answer.Body)))
	},
	"http: timeout": func() any {
		u, stop := serve(func(w http.ResponseWriter, r *http.Request) { <-r.Context().Done() })
		defer stop()
		_, err := (&http.Client{Timeout: 20 * time.Millisecond}).Get(u)
		return err.(*url.Error).Timeout()
	},
	"http: date": func() any {
		u, stop := serve(func(http.ResponseWriter, *http.Request) {})
		defer stop()
		at := must(http.ParseTime(must(http.Get(u)).Header.Get("Date")))
		return time.Since(at) < time.Minute && time.Since(at) > -time.Minute
	},
	"http: shutdown": func() any {
		s := &http.Server{}
		l := must(net.Listen("tcp", "127.0.0.1:0"))
		ended := make(chan error)
		go func() { ended <- s.Serve(l) }()
		time.Sleep(20 * time.Millisecond)
		return []any{s.Shutdown(context.Background()), <-ended}
	},
	"http: remote": func() any {
		u, stop := serve(func(w http.ResponseWriter, r *http.Request) {
			host, _, _ := net.SplitHostPort(r.RemoteAddr)
			io.WriteString(w, host)
		})
		defer stop()
		return get(u)
	},
	"http: test server": func() any {
		s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, "text") }))
		defer s.Close()
		return get(s.URL)
	},
	"tls: test server": func() any {
		s := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, "text") }))
		defer s.Close()
		answer, err := s.Client().Get(s.URL)
		if err != nil {
			return err
		}
		return []any{answer.Proto, answer.TLS.Version, string(must(io.ReadAll(answer.Body)))}
	},
	"default mux": func() any {
		http.HandleFunc("/facts", http.NotFound)
		_, pattern := http.DefaultServeMux.Handler(httptest.NewRequest("GET", "/facts", nil))
		return pattern
	},
	"exported": func() any {
		_, pattern := http.DefaultServeMux.Handler(httptest.NewRequest("GET", "/debug/vars", nil))
		return []any{pattern, expvar.Get("memstats") != nil}
	},
	"random": func() any {
		a, b := make([]byte, 16), make([]byte, 16)
		rand.Read(a)
		rand.Read(b)
		return bytes.Equal(a, b)
	},
	"json: time":   func() any { text := must(json.Marshal(time.Unix(0, 0).UTC())); return string(text) },
	"default type": func() any { return http.DetectContentType([]byte("<html>")) },
}
