package netmodel

import (
	"strings"
	"testing"

	"github.com/macemc/macemc/internal/eventkind"
	"github.com/macemc/macemc/sim"
)

func TestEvent_Fault(t *testing.T) {
	for k := range eventkind.All() {
		if f, ok := (&Event{Kind: k}).Fault(); ok != k.Injection() || ok && f.Event() != k {
			t.Errorf("events of kind %v inject %v, %v", k, f, ok)
		}
	}
}

// A network that the engines cannot execute is refused.
func TestOf(t *testing.T) {
	type declared struct{ sim.Network }
	n, err := Of(&sim.System{Name: "s", Network: declared{}})
	if err == nil || !strings.HasPrefix(err.Error(), `system "s": netmodel.declared has no state that can be checked: `) {
		t.Errorf("Of = %v, %v", n, err)
	}
	if n, err := Of(&sim.System{}); n != nil || err != nil {
		t.Errorf("Of a system without a network = %v, %v", n, err)
	}
}
