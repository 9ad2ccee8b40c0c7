package search

import (
	"slices"

	"github.com/macemc/macemc/choose"
	"github.com/macemc/macemc/internal/replay"
	"github.com/macemc/macemc/sim"
)

// home is a state that many runs go through, so that the way to it is executed once.
type home struct {
	*replay.Saved
	choices int
	used    sim.Limits
}

// worthKeeping is how many choices lead to a state, at least, that is kept rather than reached anew: the
// table engine, which may be faster, keeps none.
const worthKeeping = 200

// Keep makes the loop copy the state at the end of path, which must lie between steps, when a run comes
// there; later runs whose tasks begin with path start from the copy. What they do is the same. Path is
// not copied. Short paths are executed anew, and so are those to states that cannot be copied. Runs are
// executed by the replay engine from now on, unless a loop was made for the other one.
func (l *Loop) Keep(path choose.Path) {
	if l.keep = nil; len(path) >= worthKeeping {
		l.pin()
		l.keep = path
	}
}

// goHome starts the run at home if that is on its way.
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

// keepHome copies the state of the run if that is the one to keep.
func (l *Loop) keepHome() {
	if n := len(l.keep); n == 0 || l.pos != n || len(l.run.Path) != n || l.misfit != nil {
		return
	}
	saved, err := l.run.Save()
	l.keep = nil
	if err == nil {
		l.home = &home{saved, l.at.Choices, l.at.Used}
	}
}
