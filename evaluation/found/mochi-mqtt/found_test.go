package mochimqtt

import (
	"testing"
	"time"

	mqtt "github.com/mochi-mqtt/server/v2"
	"github.com/mochi-mqtt/server/v2/packets"
)

// finish fails the test if a and b, executed concurrently 200,000 times, do not return within 10 seconds.
func finish(t *testing.T, a, b func(i int)) {
	done := make(chan struct{})
	for _, f := range []func(int){a, b} {
		go func() {
			for i := range 200_000 {
				f(i)
			}
			done <- struct{}{}
		}()
	}
	deadline := time.After(10 * time.Second)
	for range 2 {
		select {
		case <-done:
		case <-deadline:
			t.Fatal("both goroutines are blocked in Lock and RLock for ever")
		}
	}
}

func TestNextImmediate(t *testing.T) {
	in := mqtt.NewInflights()
	in.Set(packets.Packet{PacketID: 1, Expiry: -1})
	finish(t,
		func(int) { in.NextImmediate() },
		func(i int) { in.Set(packets.Packet{PacketID: 2}) })
}

func TestGetByListener(t *testing.T) {
	clients := mqtt.NewClients()
	finish(t,
		func(int) { clients.GetByListener("t1") },
		func(int) { clients.Delete("a") })
}
