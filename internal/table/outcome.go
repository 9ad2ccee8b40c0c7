package table

import (
	"encoding/binary"
	"errors"

	"github.com/macemc/macemc/internal/encoding"
	"github.com/macemc/macemc/internal/kernel"
	"github.com/macemc/macemc/sim"
)

// overdue reports whether a step was given up: what became of it is then not to be looked at.
func overdue(err error) bool {
	f, ok := errors.AsType[*sim.Finding](err)
	return ok && kernel.Overdue(f)
}

// isDivergence reports whether a handler did not come to its end, which has no other cause than its node's state.
func isDivergence(err error) bool {
	f, ok := errors.AsType[*sim.Finding](err)
	return ok && f.Kind == sim.Divergence
}

func hashOf(buf []byte) uint64 { return encoding.Hash(0, buf).Lo }

// keyOf is a packed vector as a key.
func keyOf(v []uint32) string {
	key := make([]byte, 0, 4*len(v))
	for _, word := range v {
		key = binary.LittleEndian.AppendUint32(key, word)
	}
	return string(key)
}

// closer reports whether an error is one that a world which checks messages finds, and others perhaps do not.
func closer(err error) bool {
	f, ok := errors.AsType[*sim.Finding](err)
	return ok && (f.Property == kernel.MessagesProperty || f.Kind == sim.Nondeterminism)
}

// endsRun reports whether an error is a finding that ends runs, beside which there may be others. Code that does not return is not to be
// called again, and where it is no function of its state nothing is to be concluded.
func endsRun(err error) bool {
	_, ok := errors.AsType[*sim.Finding](err)
	return ok && !overdue(err) && !closer(err)
}

func usedLate(err error) bool {
	f, ok := errors.AsType[*sim.Finding](err)
	return ok && kernel.IsUseAfterReturn(f)
}
