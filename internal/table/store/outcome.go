package store

import (
	"encoding/binary"
	"errors"

	"github.com/macemc/macemc/internal/encoding"
	"github.com/macemc/macemc/internal/kernel"
	"github.com/macemc/macemc/internal/kernel/contain"
	"github.com/macemc/macemc/sim"
)

// IsOverdue reports whether a step was given up: what became of it is then not to be looked at.
func IsOverdue(err error) bool {
	f, ok := errors.AsType[*sim.Finding](err)
	return ok && contain.Overdue(f)
}

// IsDivergence reports whether a handler did not come to its end, which has no other cause than its node's state.
func IsDivergence(err error) bool {
	f, ok := errors.AsType[*sim.Finding](err)
	return ok && f.Kind == sim.Divergence
}

func ContentHash(buf []byte) uint64 { return encoding.Hash(0, buf).Lo }

// VectorKey is a packed vector as a key.
func VectorKey(v []uint32) string {
	key := make([]byte, 0, 4*len(v))
	for _, word := range v {
		key = binary.LittleEndian.AppendUint32(key, word)
	}
	return string(key)
}

// NeedsReference reports whether an error is one that a world which checks messages finds, and others perhaps do not.
func NeedsReference(err error) bool {
	f, ok := errors.AsType[*sim.Finding](err)
	return ok && (f.Property == kernel.MessagesProperty || f.Kind == sim.Nondeterminism)
}

// EndsRun reports whether an error is a finding that ends runs, beside which there may be others. Code that does not return is not to be
// called again, and where it is no function of its state nothing is to be concluded.
func EndsRun(err error) bool {
	_, ok := errors.AsType[*sim.Finding](err)
	return ok && !IsOverdue(err) && !NeedsReference(err)
}

func IsUseAfterReturn(err error) bool {
	f, ok := errors.AsType[*sim.Finding](err)
	return ok && kernel.IsUseAfterReturn(f)
}
