package paho

import (
	"errors"
	"net"
	"net/url"
	"sync"
	"testing"
	"time"

	mqtt "github.com/eclipse/paho.mqtt.golang"
	"github.com/eclipse/paho.mqtt.golang/packets"
)

// options returns options of a client whose connections are accepted by broker.
func options(broker func(attempt int, conn net.Conn) error) *mqtt.ClientOptions {
	attempt := 0
	return mqtt.NewClientOptions().AddBroker("tcp://broker:1883").SetProtocolVersion(4).SetCustomOpenConnectionFn(
		func(*url.URL, mqtt.ClientOptions) (net.Conn, error) {
			attempt++
			client, server := net.Pipe()
			if err := broker(attempt, server); err != nil {
				return nil, err
			}
			return client, nil
		})
}

// accept answers CONNECT.
func accept(conn net.Conn) {
	packets.ReadPacket(conn)
	packets.NewControlPacket(packets.Connack).Write(conn)
}

func TestDisconnectTwiceWhileReconnecting(t *testing.T) {
	reconnecting := make(chan struct{}, 10)
	down := true
	var mu sync.Mutex
	c := mqtt.NewClient(options(func(attempt int, conn net.Conn) error {
		mu.Lock()
		defer mu.Unlock()
		if attempt > 1 && down {
			return errors.New("the broker is down")
		}
		go func() {
			accept(conn)
			if attempt == 1 {
				conn.Close()
			}
		}()
		return nil
	}).SetReconnectingHandler(func(mqtt.Client, *mqtt.ClientOptions) { reconnecting <- struct{}{} }))
	if token := c.Connect(); token.Wait() && token.Error() != nil {
		t.Fatal(token.Error())
	}
	<-reconnecting
	time.Sleep(50 * time.Millisecond) // The first attempt has failed.
	var wg sync.WaitGroup
	for range 2 {
		wg.Go(func() { c.Disconnect(3000) })
	}
	wg.Wait()
	mu.Lock()
	down = false
	mu.Unlock()
	for range 5 {
		token := c.Connect()
		token.Wait()
		if token.Error() == nil {
			return
		}
		time.Sleep(time.Second)
		t.Log(token.Error())
	}
	t.Error("after two calls of Disconnect, the client cannot be connected any more")
}
