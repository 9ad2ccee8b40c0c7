// Package fasthttp has tests of services over fasthttp, whose listener is in memory.
package fasthttp

import (
	"io"
	"net"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	"github.com/gofiber/fiber/v2"
	"github.com/valyala/fasthttp"
	"github.com/valyala/fasthttp/fasthttputil"
)

// serve starts a server, and returns a function that gets a page.
func serve(t *testing.T, h fasthttp.RequestHandler) (get func(path string) string) {
	l := fasthttputil.NewInmemoryListener()
	s := &fasthttp.Server{Handler: h}
	done := make(chan struct{})
	go func() { defer close(done); s.Serve(l) }()
	c := &fasthttp.HostClient{Addr: "server", Dial: func(string) (net.Conn, error) { return l.Dial() }}
	t.Cleanup(func() { c.CloseIdleConnections(); s.Shutdown(); <-done })
	return func(path string) string {
		request, response := fasthttp.AcquireRequest(), fasthttp.AcquireResponse()
		defer fasthttp.ReleaseRequest(request)
		defer fasthttp.ReleaseResponse(response)
		request.SetRequestURI("http://server" + path)
		if err := c.Do(request, response); err != nil {
			t.Error(err)
		}
		return string(response.Body())
	}
}

func TestFastHTTP(t *testing.T) {
	get := serve(t, func(c *fasthttp.RequestCtx) { c.WriteString("page " + string(c.Path())) })
	var wg sync.WaitGroup
	for _, path := range []string{"/a", "/b"} {
		wg.Go(func() {
			if got := get(path); got != "page "+path {
				t.Errorf("got %q", got)
			}
		})
	}
	wg.Wait()
}

// tokens draws a token for each of two requests.
func tokens(t *testing.T, draw func(mu *sync.Mutex, last *byte) byte) {
	t.Helper()
	var mu sync.Mutex
	last := byte('a')
	get := serve(t, func(c *fasthttp.RequestCtx) { c.Write([]byte{draw(&mu, &last)}) })
	var got [2]string
	var wg sync.WaitGroup
	for i := range got {
		wg.Go(func() {
			time.Sleep(time.Duration(i) * 900 * time.Microsecond)
			got[i] = get("/")
		})
	}
	wg.Wait()
	if got[0] == got[1] {
		t.Errorf("token %q twice", got[0])
	}
}

func TestFastHTTPDefect(t *testing.T) {
	tokens(t, func(mu *sync.Mutex, last *byte) byte {
		mu.Lock()
		token := *last + 1
		mu.Unlock()
		mu.Lock()
		*last = token
		mu.Unlock()
		return token
	})
}

func TestFastHTTPMended(t *testing.T) {
	tokens(t, func(mu *sync.Mutex, last *byte) byte {
		mu.Lock()
		defer mu.Unlock()
		*last++
		return *last
	})
}

func TestFiber(t *testing.T) {
	app := fiber.New()
	app.Get("/hello/:name", func(c *fiber.Ctx) error { return c.SendString("hello " + c.Params("name")) })
	var wg sync.WaitGroup
	for _, name := range []string{"ann", "bob"} {
		wg.Go(func() {
			r, err := app.Test(httptest.NewRequest("GET", "/hello/"+name, nil))
			if err != nil {
				t.Error(err)
				return
			}
			defer r.Body.Close()
			if text, _ := io.ReadAll(r.Body); string(text) != "hello "+name {
				t.Errorf("got %q", text)
			}
		})
	}
	wg.Wait()
}

// jobs starts a job for a request, and stops all when the app stops.
func jobs(t *testing.T, work func(stop <-chan struct{}, results chan<- int)) {
	stop, results := make(chan struct{}), make(chan int)
	app := fiber.New()
	app.Post("/job", func(c *fiber.Ctx) error {
		go work(stop, results)
		return c.SendStatus(fiber.StatusAccepted)
	})
	if r, err := app.Test(httptest.NewRequest("POST", "/job", nil)); err != nil || r.StatusCode != fiber.StatusAccepted {
		t.Fatalf("got %v, %v", r, err)
	}
	go func() { time.Sleep(500 * time.Microsecond); close(stop) }()
	select {
	case <-results:
	case <-stop:
	}
}

func TestFiberDefect(t *testing.T) {
	jobs(t, func(_ <-chan struct{}, results chan<- int) { results <- 1 })
}

func TestFiberMended(t *testing.T) {
	jobs(t, func(stop <-chan struct{}, results chan<- int) {
		select {
		case results <- 1:
		case <-stop:
		}
	})
}
