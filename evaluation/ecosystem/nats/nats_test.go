// Package nats has tests of services with a NATS server in the same process.
package nats

import (
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
)

// start starts a server, and returns a client of it.
func start(t *testing.T) *nats.Conn {
	s, err := server.NewServer(&server.Options{Host: "127.0.0.1", Port: server.RANDOM_PORT, NoSigs: true, NoLog: true})
	if err != nil {
		t.Fatal(err)
	}
	s.Start()
	t.Cleanup(func() { s.Shutdown(); s.WaitForShutdown() })
	if !s.ReadyForConnections(10 * time.Second) {
		t.Fatal("the server is not ready")
	}
	c, err := nats.Connect(s.ClientURL())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c
}

func TestNATS(t *testing.T) {
	c := start(t)
	if _, err := c.Subscribe("add", func(m *nats.Msg) { m.Respond(append(m.Data, '!')) }); err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	for _, text := range []string{"a", "b"} {
		wg.Go(func() {
			if m, err := c.Request("add", []byte(text), 5*time.Second); err != nil || string(m.Data) != text+"!" {
				t.Errorf("got %v, %v", m, err)
			}
		})
	}
	wg.Wait()
}

// news publishes a text to a subscriber that another goroutine starts.
func news(t *testing.T, wait func(subscribed <-chan struct{})) {
	t.Helper()
	c := start(t)
	got, subscribed := make(chan string, 1), make(chan struct{})
	go func() {
		defer close(subscribed)
		c.Subscribe("news", func(m *nats.Msg) { got <- string(m.Data) })
	}()
	wait(subscribed)
	if err := c.Publish("news", []byte("hello")); err != nil {
		t.Error(err)
	}
	select {
	case <-got:
	case <-time.After(time.Second):
		t.Error("the text is lost")
	}
	<-subscribed
}

func TestNATSDefect(t *testing.T) {
	news(t, func(<-chan struct{}) { time.Sleep(500 * time.Microsecond) })
}

func TestNATSMended(t *testing.T) { news(t, func(subscribed <-chan struct{}) { <-subscribed }) }
