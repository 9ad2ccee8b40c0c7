// Package websockets has tests of services with websockets.
package websockets

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	coder "github.com/coder/websocket"
	"github.com/gorilla/websocket"
)

var upgrader websocket.Upgrader

// hub sends a text to all its members.
type hub struct {
	mu      sync.Mutex
	members map[*websocket.Conn]bool
	join    func(h *hub, c *websocket.Conn)
}

func (h *hub) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	c, err := upgrader.Upgrade(w, r, nil)
	if err != nil {
		return
	}
	defer c.Close()
	h.join(h, c)
	for {
		if _, _, err := c.ReadMessage(); err != nil {
			return
		}
	}
}

func (h *hub) add(c *websocket.Conn) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.members[c] = true
}

func (h *hub) send(text string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for c := range h.members {
		c.WriteMessage(websocket.TextMessage, []byte(text))
	}
}

func dial(t *testing.T, h http.Handler) *websocket.Conn {
	s := httptest.NewServer(h)
	t.Cleanup(s.Close)
	c, _, err := websocket.DefaultDialer.DialContext(t.Context(), "ws"+strings.TrimPrefix(s.URL, "http"), nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	return c
}

func TestGorilla(t *testing.T) {
	c := dial(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		c, err := upgrader.Upgrade(w, r, nil)
		if err != nil {
			return
		}
		defer c.Close()
		for kind, text, err := c.ReadMessage(); err == nil; kind, text, err = c.ReadMessage() {
			c.WriteMessage(kind, append([]byte("echo "), text...))
		}
	}))
	for _, text := range []string{"a", "b"} {
		if err := c.WriteMessage(websocket.TextMessage, []byte(text)); err != nil {
			t.Fatal(err)
		}
		if _, got, err := c.ReadMessage(); err != nil || string(got) != "echo "+text {
			t.Errorf("got %q, %v", got, err)
		}
	}
}

// joins sends a text after a member has connected. The member waits for it.
func joins(t *testing.T, join func(h *hub, c *websocket.Conn), settle func(c *websocket.Conn)) {
	t.Helper()
	h := &hub{members: map[*websocket.Conn]bool{}, join: join}
	c := dial(t, h)
	settle(c)
	h.send("news")
	c.SetReadDeadline(time.Now().Add(time.Second))
	if _, text, err := c.ReadMessage(); err != nil || string(text) != "news" {
		t.Errorf("got %q, %v", text, err)
	}
}

// The client's call returns before the server has added the member.
func TestGorillaDefect(t *testing.T) {
	joins(t, (*hub).add, func(*websocket.Conn) { time.Sleep(900 * time.Microsecond) })
}

func TestGorillaMended(t *testing.T) {
	join := func(h *hub, c *websocket.Conn) {
		h.add(c)
		h.send("welcome")
	}
	joins(t, join, func(c *websocket.Conn) { c.ReadMessage() })
}

// chat starts a server that reads from a connection, and returns a client.
func chat(t *testing.T, serve func(ctx context.Context, c *coder.Conn)) *coder.Conn {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		c, err := coder.Accept(w, r, nil)
		if err != nil {
			return
		}
		defer c.CloseNow()
		serve(r.Context(), c)
	}))
	t.Cleanup(s.Close)
	c, _, err := coder.Dial(t.Context(), s.URL, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.CloseNow() })
	return c
}

func TestCoder(t *testing.T) {
	c := chat(t, func(ctx context.Context, c *coder.Conn) {
		for kind, text, err := c.Read(ctx); err == nil; kind, text, err = c.Read(ctx) {
			c.Write(ctx, kind, append([]byte("echo "), text...))
		}
	})
	if err := c.Write(t.Context(), coder.MessageText, []byte("a")); err != nil {
		t.Fatal(err)
	}
	if _, got, err := c.Read(t.Context()); err != nil || string(got) != "echo a" {
		t.Errorf("got %q, %v", got, err)
	}
	if err := c.Close(coder.StatusNormalClosure, ""); err != nil {
		t.Error(err)
	}
}

// counts is a server with a goroutine that closes the queue when the client leaves.
func counts(t *testing.T, push func(queue chan<- string, left <-chan struct{}, text string)) {
	done := make(chan struct{})
	c := chat(t, func(ctx context.Context, c *coder.Conn) {
		defer close(done)
		queue, left := make(chan string), make(chan struct{})
		go func() {
			defer close(left)
			select {
			case <-queue:
			case <-time.After(900 * time.Microsecond): // the client is idle
			}
		}()
		_, text, err := c.Read(ctx)
		if err == nil {
			push(queue, left, string(text))
		}
	})
	if err := c.Write(t.Context(), coder.MessageText, []byte("a")); err != nil {
		t.Fatal(err)
	}
	<-done
}

func TestCoderDefect(t *testing.T) {
	counts(t, func(queue chan<- string, _ <-chan struct{}, text string) { queue <- text })
}

func TestCoderMended(t *testing.T) {
	counts(t, func(queue chan<- string, left <-chan struct{}, text string) {
		select {
		case queue <- text:
		case <-left:
		}
	})
}
