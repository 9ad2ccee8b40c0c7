package eventbus

import (
	"testing"

	eventbus "github.com/asaskevich/EventBus"
)

// Publish removes handlers that are called once by their place before the others were removed.
func TestOnce(t *testing.T) {
	bus := eventbus.New()
	var first, second, always int
	bus.SubscribeOnce("topic", func() { first++ })
	bus.SubscribeOnce("topic", func() { second++ })
	bus.Subscribe("topic", func() { always++ })
	for range 3 {
		bus.Publish("topic")
	}
	if first != 1 || second != 1 || always != 3 {
		t.Errorf("of 3 events, handlers of one event got %d and %d, and the handler of all events %d", first, second, always)
	}
}
