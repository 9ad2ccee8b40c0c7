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
	return w.ResponseWriter.(http.Hijacker).Hijack()
}

// HandleRequest checks that the server is not closed, upgrades the connection, and registers it. Close has closed all
// registered connections by then.
func TestRequestDuringClose(t *testing.T) {
	m := melody.New()
	received := make(chan struct{}, 1)
	m.HandleMessage(func(*melody.Session, []byte) { received <- struct{}{} })
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		m.HandleRequest(closing{w, m}, r)
	}))
	conn, _, err := websocket.DefaultDialer.Dial("ws"+server.URL[len("http"):], nil)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if !m.IsClosed() {
		t.Fatal("the server is open")
	}
	conn.WriteMessage(websocket.TextMessage, []byte("hello"))
	select {
	case <-received:
		t.Errorf("the server is closed, has %d connection, and handles its messages", m.Len())
	case <-time.After(5 * time.Second):
	}
}
