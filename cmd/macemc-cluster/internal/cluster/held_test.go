package cluster

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/macemc/macemc/sim"
)

// hold names a system that visits only few states in a second after the first ones, until letGo is called. So an
// event planned for the middle of the search happens there, even if the test waits for a processor.
func hold(t *testing.T, system string) (name string, letGo func()) {
	file := filepath.Join(t.TempDir(), "go")
	return system + heldUntil + file, func() {
		if err := os.WriteFile(file, nil, 0o600); err != nil {
			t.Error(err)
		}
	}
}

const heldUntil = " until "

// held slows a system down in the requesting process, if its name asks for that.
func held(sys sim.System, name string) sim.System {
	_, file, ok := strings.Cut(name, heldUntil)
	if !ok {
		return sys
	}
	var judged atomic.Int64
	var free atomic.Bool
	sys.Properties = append(slices.Clone(sys.Properties), sim.Property{Name: "held", Always: func(v *sim.View) bool {
		for range v.InFlight() { // a property that reads this is evaluated in every state
			break
		}
		if free.Load() || judged.Add(1) < 3000 {
			return true
		}
		if _, err := os.Stat(file); err == nil {
			free.Store(true)
			return true
		}
		time.Sleep(2 * time.Millisecond)
		return true
	}})
	return sys
}
