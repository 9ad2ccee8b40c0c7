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

// hold names a system of which, after its first states, few are visited in a second until it is let go: so what is to happen in the
// middle of its search does, also when who makes it happen waits for a processor.
func hold(t *testing.T, system string) (name string, letGo func()) {
	file := filepath.Join(t.TempDir(), "go")
	return system + heldUntil + file, func() {
		if err := os.WriteFile(file, nil, 0o600); err != nil {
			t.Error(err)
		}
	}
}

const heldUntil = " until "

// visits is what is added to the name of the file that lets go: that of one which grows as states are visited meanwhile.
const visits = ".visits"

// visited is how far that file has grown.
func visited(t *testing.T, name string) int64 {
	t.Helper()
	_, file, _ := strings.Cut(name, heldUntil)
	info, err := os.Stat(file + visits)
	if err != nil {
		t.Error(err)
		return 0
	}
	return info.Size()
}

// held slows a system down in the process that asks, if its name says so.
func held(sys sim.System, name string) sim.System {
	_, file, ok := strings.Cut(name, heldUntil)
	if !ok {
		return sys
	}
	var judged atomic.Int64
	var free atomic.Bool
	sys.Properties = append(slices.Clone(sys.Properties), sim.Property{Name: "held", Always: func(v *sim.View) bool {
		for range v.InFlight() { // who reads this is asked in every state
			break
		}
		if free.Load() || judged.Add(1) < 3000 {
			return true
		}
		if _, err := os.Stat(file); err == nil {
			free.Store(true)
			return true
		}
		if f, err := os.OpenFile(file+visits, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600); err == nil {
			_, _ = f.Write([]byte{'\n'})
			f.Close()
		}
		time.Sleep(2 * time.Millisecond)
		return true
	}})
	return sys
}
