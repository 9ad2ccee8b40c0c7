// Package mqtt has tests of services with an MQTT broker in the same process.
package mqtt

import (
	"io"
	"log/slog"
	"testing"
	"time"

	paho "github.com/eclipse/paho.mqtt.golang"
	broker "github.com/mochi-mqtt/server/v2"
	"github.com/mochi-mqtt/server/v2/hooks/auth"
	"github.com/mochi-mqtt/server/v2/listeners"
	"github.com/mochi-mqtt/server/v2/packets"
)

func newBroker(t *testing.T) (s *broker.Server, address string) {
	s = broker.New(&broker.Options{InlineClient: true, Logger: slog.New(slog.NewTextHandler(io.Discard, nil))})
	if err := s.AddHook(new(auth.AllowHook), nil); err != nil {
		t.Fatal(err)
	}
	l := listeners.NewTCP(listeners.Config{ID: "tcp", Address: "127.0.0.1:0"})
	if err := s.AddListener(l); err != nil {
		t.Fatal(err)
	}
	if err := s.Serve(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		for s.Clients.Len() > 1 { // Close and a client that leaves may deadlock
			time.Sleep(time.Millisecond)
		}
		s.Close()
	})
	return s, l.Address()
}

func connect(t *testing.T, address, id string) paho.Client {
	c := paho.NewClient(paho.NewClientOptions().AddBroker("tcp://" + address).SetClientID(id).SetAutoReconnect(false))
	if token := c.Connect(); !token.WaitTimeout(5*time.Second) || token.Error() != nil {
		t.Fatal(token.Error())
	}
	t.Cleanup(func() { c.Disconnect(0) })
	return c
}

func TestMochi(t *testing.T) {
	s, _ := newBroker(t)
	got := make(chan string, 1)
	err := s.Subscribe("sensors/+", 1, func(_ *broker.Client, _ packets.Subscription, p packets.Packet) { got <- p.TopicName })
	if err != nil {
		t.Fatal(err)
	}
	go s.Publish("sensors/1", []byte("20"), false, 0)
	if topic := <-got; topic != "sensors/1" {
		t.Errorf("got %q", topic)
	}
}

// limits handles two values with a handler that stops after the first one.
func limits(t *testing.T, forward func(values chan<- string, stop <-chan struct{}, value string)) {
	s, _ := newBroker(t)
	values, stop := make(chan string), make(chan struct{})
	s.Subscribe("sensors", 1, func(_ *broker.Client, _ packets.Subscription, p packets.Packet) {
		forward(values, stop, string(p.Payload))
	})
	go func() {
		defer close(stop)
		select {
		case <-values:
		case <-time.After(500 * time.Microsecond):
		}
	}()
	if err := s.Publish("sensors", []byte("20"), false, 0); err != nil {
		t.Error(err)
	}
}

func TestMochiDefect(t *testing.T) {
	limits(t, func(values chan<- string, _ <-chan struct{}, value string) { values <- value })
}

func TestMochiMended(t *testing.T) {
	limits(t, func(values chan<- string, stop <-chan struct{}, value string) {
		select {
		case values <- value:
		case <-stop:
		}
	})
}

func TestPaho(t *testing.T) {
	_, address := newBroker(t)
	got := make(chan string, 1)
	a, b := connect(t, address, "a"), connect(t, address, "b")
	a.Subscribe("news", 1, func(_ paho.Client, m paho.Message) { got <- string(m.Payload()) }).Wait()
	if token := b.Publish("news", 1, false, "hello"); !token.WaitTimeout(5*time.Second) || token.Error() != nil {
		t.Error(token.Error())
	}
	if text := <-got; text != "hello" {
		t.Errorf("got %q", text)
	}
}

// alarm publishes a message to a client that has subscribed.
func alarm(t *testing.T, settle func(paho.Token)) {
	t.Helper()
	s, address := newBroker(t)
	got := make(chan string, 1)
	settle(connect(t, address, "a").Subscribe("alarm", 0, func(_ paho.Client, m paho.Message) { got <- string(m.Payload()) }))
	s.Publish("alarm", []byte("fire"), false, 0)
	select {
	case <-got:
	case <-time.After(time.Second):
		t.Error("the alarm is lost")
	}
}

// The call returns before the broker has the subscription.
func TestPahoDefect(t *testing.T) { alarm(t, func(paho.Token) { time.Sleep(500 * time.Microsecond) }) }

func TestPahoMended(t *testing.T) { alarm(t, func(token paho.Token) { token.Wait() }) }
