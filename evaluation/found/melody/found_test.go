package melody

import (
	"bufio"
	"net"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/gorilla/websocket"
	"github.com/olahol/melody"
)

// closing closes a server while it upgrades a connection.
type closing struct {
	http.ResponseWriter
	server *melody.Melody
}

func (w closing) Hijack() (net.Conn, *bufio.ReadWriter, error) {
	w.server.Close()
	for !w.server.IsClosed() {
		time.Sleep(time.Millisecond)
	}
	return w.ResponseWriter.(http.Hijacker).Hijack()
}

// HandleRequest asks whether the server is closed, upgrades the connection, and sends it to a goroutine that has ended.
func TestRequestDuringClose(t *testing.T) {
	m := melody.New()
	returned := make(chan struct{})
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		m.HandleRequest(closing{w, m}, r)
		close(returned)
	}))
	conn, _, err := websocket.DefaultDialer.Dial("ws"+server.URL[len("http"):], nil)
	if err != nil {
		t.Fatal(err)
	}
	conn.Close()
	select {
	case <-returned:
	case <-time.After(5 * time.Second):
		t.Error("HandleRequest has not returned 5s after Close of the server and of the client's connection")
	}
}
