package dap

import (
	"testing"

	"github.com/macemc/macemc/internal/inspect"
)

// The thread of a goroutine that the schedule holds back says so.
func TestNodeThread(t *testing.T) {
	at := inspect.Frame{Function: "example.org/lock.(*Client).Terms"}
	for want, g := range map[string]inspect.Goroutine{
		"n1 g5 lock.(*Client).Terms (held back)": {Number: inspect.OfNode(1, 5), At: at, Held: true},
		"n0 g2 lock.(*Client).Terms":             {Number: inspect.OfNode(0, 2), At: at},
	} {
		if got := nodeThread(g); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}
