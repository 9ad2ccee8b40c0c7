// Package web has tests of services with routers and frameworks over net/http.
package web

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/gin-gonic/gin"
	"github.com/go-chi/chi/v5"
	"github.com/go-chi/chi/v5/middleware"
	"github.com/gorilla/mux"
	"github.com/julienschmidt/httprouter"
	"github.com/labstack/echo/v4"
)

// serve starts a server, and returns a function that gets a page.
func serve(t *testing.T, h http.Handler) (get func(path string) (int, string)) {
	s := httptest.NewServer(h)
	t.Cleanup(s.Close)
	return func(path string) (int, string) {
		r, err := s.Client().Get(s.URL + path)
		if err != nil {
			t.Error(err)
			return 0, ""
		}
		defer r.Body.Close()
		text, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		return r.StatusCode, strings.TrimSpace(string(text))
	}
}

// twice gets a page by two clients. The second one starts a little later.
func twice(get func(path string) (int, string), path string) (texts [2]string) {
	var wg sync.WaitGroup
	for i := range texts {
		wg.Go(func() {
			time.Sleep(time.Duration(i) * 900 * time.Microsecond)
			_, texts[i] = get(path)
		})
	}
	wg.Wait()
	return texts
}

func greets(t *testing.T, get func(path string) (int, string)) {
	t.Helper()
	if texts := twice(get, "/hello/ann"); texts != [2]string{"hello ann", "hello ann"} {
		t.Errorf("got %q", texts)
	}
	if status, _ := get("/other"); status != http.StatusNotFound {
		t.Errorf("got status %d", status)
	}
}

// carts has a cart for each user.
type carts struct {
	mu    sync.RWMutex
	items map[string]string
}

func (c *carts) get(user string) string {
	c.mu.RLock()
	defer c.mu.RUnlock()
	return c.items[user]
}

func (c *carts) put(user, items string) string {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.items[user] = items
	return items
}

func (c *carts) appendItem(user, item string) string {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.items[user] += item
	return c.items[user]
}

// shops lets a user put two items into her cart, by two requests.
func shops(t *testing.T, router func(c *carts) http.Handler) {
	t.Helper()
	c := &carts{items: map[string]string{}}
	twice(serve(t, router(c)), "/cart/ann")
	if got := c.get("ann"); got != "xx" {
		t.Errorf("the cart has %q", got)
	}
}

func TestChi(t *testing.T) {
	r := chi.NewRouter()
	r.Use(middleware.RequestID, middleware.Recoverer, middleware.Timeout(time.Second))
	r.Get("/hello/{name}", func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, "hello "+chi.URLParam(r, "name")) })
	greets(t, serve(t, r))
}

func chiCart(add func(c *carts, user string)) func(c *carts) http.Handler {
	return func(c *carts) http.Handler {
		r := chi.NewRouter()
		r.Get("/cart/{user}", func(_ http.ResponseWriter, r *http.Request) { add(c, chi.URLParam(r, "user")) })
		return r
	}
}

func TestChiDefect(t *testing.T) {
	shops(t, chiCart(func(c *carts, user string) { c.put(user, c.get(user)+"x") }))
}

func TestChiMended(t *testing.T) {
	shops(t, chiCart(func(c *carts, user string) { c.appendItem(user, "x") }))
}

func TestMux(t *testing.T) {
	r := mux.NewRouter()
	r.HandleFunc("/hello/{name}", func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, "hello "+mux.Vars(r)["name"]) })
	greets(t, serve(t, r))
}

// upgrade gets a page that reads, and another one that writes.
func upgrade(t *testing.T, page func(c *carts, user string)) {
	t.Helper()
	c := &carts{items: map[string]string{}}
	r := mux.NewRouter()
	r.HandleFunc("/cart/{user}", func(w http.ResponseWriter, r *http.Request) { page(c, mux.Vars(r)["user"]) })
	r.HandleFunc("/empty/{user}", func(w http.ResponseWriter, r *http.Request) { c.put(mux.Vars(r)["user"], "") })
	get := serve(t, r)
	var wg sync.WaitGroup
	wg.Go(func() { get("/cart/ann") })
	wg.Go(func() { time.Sleep(900 * time.Microsecond); get("/empty/ann") })
	wg.Wait()
}

// A reader that reads again deadlocks if a writer waits between.
func TestMuxDefect(t *testing.T) {
	upgrade(t, func(c *carts, user string) {
		c.mu.RLock()
		defer c.mu.RUnlock()
		if len(c.items) == 0 {
			c.get(user)
		}
	})
}

func TestMuxMended(t *testing.T) {
	upgrade(t, func(c *carts, user string) {
		c.mu.RLock()
		none := len(c.items) == 0
		c.mu.RUnlock()
		if none {
			c.get(user)
		}
	})
}

func TestHTTPRouter(t *testing.T) {
	r := httprouter.New()
	r.GET("/hello/:name", func(w http.ResponseWriter, _ *http.Request, p httprouter.Params) {
		io.WriteString(w, "hello "+p.ByName("name"))
	})
	greets(t, serve(t, r))
}

// initialized lets two requests initialize a handler, which is to happen once.
func initialized(t *testing.T, first func(ready *sync.Map, init func())) {
	t.Helper()
	var ready sync.Map
	var mu sync.Mutex
	inits := 0
	r := httprouter.New()
	r.GET("/", func(http.ResponseWriter, *http.Request, httprouter.Params) {
		first(&ready, func() { mu.Lock(); inits++; mu.Unlock() })
	})
	twice(serve(t, r), "/")
	if inits != 1 {
		t.Errorf("initialized %d times", inits)
	}
}

func TestHTTPRouterDefect(t *testing.T) {
	initialized(t, func(ready *sync.Map, init func()) {
		if _, ok := ready.Load("template"); !ok {
			init()
			ready.Store("template", true)
		}
	})
}

func TestHTTPRouterMended(t *testing.T) {
	initialized(t, func(ready *sync.Map, init func()) {
		f, _ := ready.LoadOrStore("template", sync.OnceFunc(init))
		f.(func())()
	})
}

func TestEcho(t *testing.T) {
	e := echo.New()
	e.GET("/hello/:name", func(c echo.Context) error { return c.String(http.StatusOK, "hello "+c.Param("name")) })
	greets(t, serve(t, e))
}

// audits writes a line for a request, by a goroutine that the service stops at its end.
func audits(t *testing.T, write func(quit <-chan struct{}, lines chan<- string)) {
	quit, lines := make(chan struct{}), make(chan string)
	e := echo.New()
	e.GET("/", func(c echo.Context) error {
		go write(quit, lines)
		return c.NoContent(http.StatusNoContent)
	})
	get := serve(t, e)
	get("/")
	select {
	case <-lines:
	case <-time.After(500 * time.Microsecond):
	}
	close(quit)
}

func TestEchoDefect(t *testing.T) {
	audits(t, func(_ <-chan struct{}, lines chan<- string) { lines <- "GET /" })
}

func TestEchoMended(t *testing.T) {
	audits(t, func(quit <-chan struct{}, lines chan<- string) {
		select {
		case lines <- "GET /":
		case <-quit:
		}
	})
}

func newGin() *gin.Engine {
	gin.SetMode(gin.ReleaseMode)
	r := gin.New()
	r.Use(gin.Recovery())
	return r
}

func TestGin(t *testing.T) {
	r := newGin()
	r.GET("/hello/:name", func(c *gin.Context) { c.String(http.StatusOK, "hello %s", c.Param("name")) })
	greets(t, serve(t, r))
}

// works hands the work of a request to a goroutine, and waits for a while.
func works(t *testing.T, work func(c *gin.Context, done chan struct{})) {
	t.Helper()
	r := newGin()
	r.GET("/work", func(c *gin.Context) {
		done := make(chan struct{})
		go work(c, done)
		select {
		case <-done:
			c.String(http.StatusOK, "done")
		case <-time.After(900 * time.Microsecond):
			c.String(http.StatusAccepted, "later")
		}
	})
	get := serve(t, r)
	if status, text := get("/work"); status != http.StatusOK && status != http.StatusAccepted {
		t.Errorf("got %d, %q", status, text)
	}
}

func TestGinDefect(t *testing.T) {
	works(t, func(_ *gin.Context, done chan struct{}) { done <- struct{}{} })
}

func TestGinMended(t *testing.T) { works(t, func(_ *gin.Context, done chan struct{}) { close(done) }) }
