// Package clients has tests of services that call others over HTTP.
package clients

import (
	"context"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/afex/hystrix-go/hystrix"
	"github.com/go-resty/resty/v2"
	"github.com/hashicorp/go-retryablehttp"
	"golang.org/x/net/http2"
)

func serve(t *testing.T, h http.HandlerFunc) string {
	s := httptest.NewServer(h)
	t.Cleanup(s.Close)
	return s.URL
}

func TestResty(t *testing.T) {
	url := serve(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		io.WriteString(w, `{"name": "`+r.URL.Query().Get("name")+`"}`)
	})
	c := resty.New().SetBaseURL(url)
	defer c.GetClient().CloseIdleConnections()
	var wg sync.WaitGroup
	for _, name := range []string{"ann", "bob"} {
		wg.Go(func() {
			var user struct{ Name string }
			if _, err := c.R().SetQueryParam("name", name).SetResult(&user).Get("/"); err != nil || user.Name != name {
				t.Errorf("got %q, %v", user.Name, err)
			}
		})
	}
	wg.Wait()
}

// renews lets two requests find that their token has expired. It is to be renewed once.
func renews(t *testing.T, renew func(mu *sync.Mutex, token *int, old int, draw func() int)) {
	t.Helper()
	var drawn atomic.Int32
	url := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") == "" {
			w.WriteHeader(http.StatusUnauthorized)
		}
	})
	c := resty.New().SetBaseURL(url)
	defer c.GetClient().CloseIdleConnections()
	var mu sync.Mutex
	token := 0
	var wg sync.WaitGroup
	for i := range 2 {
		wg.Go(func() {
			time.Sleep(time.Duration(i) * 900 * time.Microsecond)
			mu.Lock()
			old := token
			mu.Unlock()
			if old != 0 {
				return
			}
			if r, err := c.R().Get("/"); err != nil || r.StatusCode() != http.StatusUnauthorized {
				t.Errorf("got %v, %v", r, err)
			}
			renew(&mu, &token, old, func() int { return int(drawn.Add(1)) })
		})
	}
	wg.Wait()
	if n := drawn.Load(); n != 1 {
		t.Errorf("renewed %d times", n)
	}
}

func TestRestyDefect(t *testing.T) {
	renews(t, func(mu *sync.Mutex, token *int, _ int, draw func() int) {
		mu.Lock()
		defer mu.Unlock()
		*token = draw()
	})
}

func TestRestyMended(t *testing.T) {
	renews(t, func(mu *sync.Mutex, token *int, old int, draw func() int) {
		mu.Lock()
		defer mu.Unlock()
		if *token == old {
			*token = draw()
		}
	})
}

func newRetryable() *retryablehttp.Client {
	c := retryablehttp.NewClient()
	c.Logger, c.RetryWaitMin, c.RetryWaitMax, c.RetryMax = nil, time.Millisecond, 2*time.Millisecond, 3
	return c
}

func TestRetryableHTTP(t *testing.T) {
	var tries atomic.Int32
	url := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if tries.Add(1) < 3 {
			w.WriteHeader(http.StatusServiceUnavailable)
		}
	})
	r, err := newRetryable().Get(url)
	if err != nil || r.StatusCode != http.StatusOK || tries.Load() != 3 {
		t.Errorf("got %v, %v after %d tries", r, err, tries.Load())
	}
	r.Body.Close()
}

// charges lets a client retry a payment whose first reply is an error.
func charges(t *testing.T, charge func(seen *sync.Map, key string) bool) {
	t.Helper()
	var seen sync.Map
	var charged atomic.Int32
	url := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if charge(&seen, r.Header.Get("Idempotency-Key")) {
			charged.Add(1)
		}
	})
	c := newRetryable()
	var wg sync.WaitGroup
	for i := range 2 { // a user who clicks twice
		wg.Go(func() {
			time.Sleep(time.Duration(i) * 900 * time.Microsecond)
			request, _ := retryablehttp.NewRequest("POST", url, nil)
			request.Header.Set("Idempotency-Key", "7")
			if r, err := c.Do(request); err != nil {
				t.Error(err)
			} else {
				r.Body.Close()
			}
		})
	}
	wg.Wait()
	c.HTTPClient.CloseIdleConnections()
	if n := charged.Load(); n != 1 {
		t.Errorf("charged %d times", n)
	}
}

func TestRetryableHTTPDefect(t *testing.T) {
	charges(t, func(seen *sync.Map, key string) bool {
		_, ok := seen.Load(key)
		defer seen.Store(key, true)
		return !ok
	})
}

func TestRetryableHTTPMended(t *testing.T) {
	charges(t, func(seen *sync.Map, key string) bool {
		_, ok := seen.LoadOrStore(key, true)
		return !ok
	})
}

func TestHystrix(t *testing.T) {
	hystrix.ConfigureCommand("call", hystrix.CommandConfig{Timeout: 1000, MaxConcurrentRequests: 2})
	var wg sync.WaitGroup
	for range 2 {
		wg.Go(func() {
			if err := hystrix.Do("call", func() error { return nil }, nil); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if err := hystrix.Do("call", func() error { return io.EOF }, func(err error) error { return nil }); err != nil {
		t.Error(err)
	}
}

// call starts a command, and takes its output or error.
func call(t *testing.T, send func(ctx context.Context, output chan<- string) error) {
	ctx, cancel := context.WithTimeout(t.Context(), 900*time.Microsecond)
	defer cancel()
	output := make(chan string)
	errs := hystrix.GoC(ctx, "call", func(ctx context.Context) error { return send(ctx, output) }, nil)
	select {
	case <-output:
	case <-errs:
	}
}

// The command goes on after the timeout of its caller. Nobody takes its output then.
func TestHystrixDefect(t *testing.T) {
	call(t, func(_ context.Context, output chan<- string) error {
		output <- "done"
		return nil
	})
}

func TestHystrixMended(t *testing.T) {
	call(t, func(ctx context.Context, output chan<- string) error {
		select {
		case output <- "done":
			return nil
		case <-ctx.Done():
			return ctx.Err()
		}
	})
}

// dial starts a server of HTTP/2 without TLS, and returns a connection to it.
func dial(t *testing.T, h http.HandlerFunc) *http2.ClientConn {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		if c, err := l.Accept(); err == nil {
			new(http2.Server).ServeConn(c, &http2.ServeConnOpts{Handler: h})
		}
	}()
	conn, err := net.Dial("tcp", l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	c, err := (&http2.Transport{AllowHTTP: true}).NewClientConn(conn)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close(); l.Close(); <-done })
	return c
}

func get(ctx context.Context, c *http2.ClientConn) (string, error) {
	request, err := http.NewRequestWithContext(ctx, "GET", "http://server/", nil)
	if err != nil {
		return "", err
	}
	r, err := c.RoundTrip(request)
	if err != nil {
		return "", err
	}
	defer r.Body.Close()
	text, err := io.ReadAll(r.Body)
	return string(text), err
}

func TestHTTP2(t *testing.T) {
	c := dial(t, func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, r.Proto) })
	var wg sync.WaitGroup
	for range 2 {
		wg.Go(func() {
			if text, err := get(t.Context(), c); err != nil || text != "HTTP/2.0" {
				t.Errorf("got %q, %v", text, err)
			}
		})
	}
	wg.Wait()
}

// downloads gets a page whose handler waits for a part that another goroutine makes, until the client leaves.
func downloads(t *testing.T, produce func(ctx context.Context, parts chan<- string)) {
	c := dial(t, func(w http.ResponseWriter, r *http.Request) {
		parts := make(chan string)
		go produce(r.Context(), parts)
		select {
		case part := <-parts:
			io.WriteString(w, part)
		case <-r.Context().Done():
		}
	})
	ctx, cancel := context.WithTimeout(t.Context(), 900*time.Microsecond)
	defer cancel()
	get(ctx, c)
}

func TestHTTP2Defect(t *testing.T) {
	downloads(t, func(_ context.Context, parts chan<- string) { parts <- "part" })
}

func TestHTTP2Mended(t *testing.T) {
	downloads(t, func(ctx context.Context, parts chan<- string) {
		select {
		case parts <- "part":
		case <-ctx.Done():
		}
	})
}
