package mochimqtt

import (
	"testing"
	"time"

	mqtt "github.com/mochi-mqtt/server/v2"
	"github.com/mochi-mqtt/server/v2/packets"
)

// finish executes a and b concurrently for 10 seconds. It fails the test if they do not return.
func finish(t *testing.T, a, b func()) {
	start := time.Now()
	done := make(chan struct{}, 2)
	for _, f := range []func(){a, b} {
		go func() {
			for time.Since(start) < 10*time.Second {
				f()
			}
			done <- struct{}{}
		}()
	}
	timeout := time.After(15 * time.Second)
	for range 2 {
		select {
		case <-done:
		case <-timeout:
			t.Fatal("both goroutines are blocked in Lock and RLock for ever")
		}
	}
}

func TestNextImmediate(t *testing.T) {
	in := mqtt.NewInflights()
	in.Set(packets.Packet{PacketID: 1, Expiry: -1})
	finish(t,
		func() { in.NextImmediate() },
		func() { in.Set(packets.Packet{PacketID: 2}) })
}

func TestGetByListener(t *testing.T) {
	clients := mqtt.NewClients()
	finish(t,
		func() { clients.GetByListener("t1") },
		func() { clients.Delete("a") })
}
