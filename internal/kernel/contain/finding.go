package contain

import (
	"sync/atomic"

	"github.com/macemc/macemc/internal/encoding"
	"github.com/macemc/macemc/sim"
)

// UseAfterReturn holds the first use of an Env by a goroutine that a handler had started, after that handler returned.
// Such a use must not panic: nothing recovers there, and the process would die. Worlds that share a UseAfterReturn
// report it at their next handler.
type UseAfterReturn struct{ found atomic.Pointer[sim.Finding] }

// Record records a use, unless there was one.
func (l *UseAfterReturn) Record(f *sim.Finding) { l.found.CompareAndSwap(nil, f) }

// Used reports whether there was a use.
func (l *UseAfterReturn) Used() bool { return l.found.Load() != nil }

// Finding returns the use, or nil if there was none so far.
func (l *UseAfterReturn) Finding() *sim.Finding {
	if f := l.found.Load(); f != nil {
		own := *f
		return &own
	}
	return nil
}

// IsUseAfterReturn reports whether a finding is that an Env was used after its handler had returned.
func IsUseAfterReturn(f *sim.Finding) bool { return f.Cause == UsedAfterReturn }

// CatchState, when deferred, turns a panic that carries a [*encoding.Error] or a [*sim.Finding] into an error. A method
// of a world that encodes the state learns the type behind an interface only then, and may panic. Its methods Live and
// Holds also report a panicking property this way. Other panics propagate.
func CatchState(err *error) {
	if r := recover(); r != nil {
		*err = StateError(r)
	}
}

// StateError returns the error of [CatchState] for a recovered panic, or panics again.
func StateError(recovered any) error {
	switch r := recovered.(type) {
	case *encoding.Error:
		return r
	case *sim.Finding:
		return r
	}
	panic(recovered)
}
