package runloop

import (
	"slices"

	"github.com/macemc/macemc/choose"
	"github.com/macemc/macemc/internal/replay"
	"github.com/macemc/macemc/sim"
)

// Home is a checkpoint that many runs pass, so that the path to it is executed once.
type Home struct {
	*replay.Saved
	choices int
	used    sim.Limits
}

// worthKeeping is the minimum number of choices to a state for a checkpoint to pay, since the table engine, which may
// be faster, has no checkpoints.
const worthKeeping = 200

// Keep makes the loop copy the state at the end of path, which must lie between steps, when a run reaches it. Later
// runs with tasks that begin with path start from the copy, with the same results. path is not copied. Short paths are
// executed again, as are paths to states that cannot be copied. Later runs are executed by the replay engine, unless
// the loop was made for the table engine.
func (l *Loop) Keep(path choose.Path) {
	if l.keep = nil; len(path) >= worthKeeping {
		l.pin()
		l.keep = path
	}
}

// Home returns the copied state, or nil if there is none.
func (l *Loop) Home() *Home { return l.home }

// StartFrom makes runs start from a state that another loop of the same system copied; nil means the initial state.
func (l *Loop) StartFrom(h *Home) { l.home, l.keep = h, nil }

// goHome starts the run at home if the task begins with its path.
func (l *Loop) goHome() bool {
	h := l.home
	if h == nil || len(h.Path()) > len(l.task) || !slices.Equal(h.Path(), l.task[:len(h.Path())]) {
		return false
	}
	if l.run.Resume(h.Saved) != nil {
		return false
	}
	l.pos, l.at.Choices, l.at.Used = len(h.Path()), h.choices, h.used
	return true
}

// keepHome copies the state of the run if it is the one to keep.
func (l *Loop) keepHome() {
	if n := len(l.keep); n == 0 || l.pos != n || len(l.run.Path) != n || l.mismatch != nil {
		return
	}
	saved, err := l.run.Save()
	l.keep = nil
	if err == nil {
		l.home = &Home{saved, l.at.Choices, l.at.Used}
	}
}
