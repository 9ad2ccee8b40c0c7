package store

import (
	"encoding/binary"
	"errors"

	"github.com/macemc/macemc/internal/encoding"
	"github.com/macemc/macemc/internal/kernel"
	"github.com/macemc/macemc/internal/kernel/contain"
	"github.com/macemc/macemc/sim"
)

// IsOverdue reports whether a step was abandoned. Its resulting state must not be used then.
func IsOverdue(err error) bool {
	f, ok := errors.AsType[*sim.Finding](err)
	return ok && contain.Overdue(f)
}

// IsDivergence reports whether a handler did not return, for no other cause than its node's state.
func IsDivergence(err error) bool {
	f, ok := errors.AsType[*sim.Finding](err)
	return ok && f.Kind == sim.Divergence
}

func ContentHash(buf []byte) uint64 { return encoding.Hash(0, buf).Lo }

// VectorKey converts a packed vector to a map key.
func VectorKey(v []uint32) string {
	key := make([]byte, 0, 4*len(v))
	for _, word := range v {
		key = binary.LittleEndian.AppendUint32(key, word)
	}
	return string(key)
}

// NeedsReference reports whether only a world that checks messages may reproduce the error.
func NeedsReference(err error) bool {
	f, ok := errors.AsType[*sim.Finding](err)
	return ok && (f.Property == kernel.MessagesProperty || f.Kind == sim.Nondeterminism)
}

// EndsRun reports whether an error is a finding that ends its run but not the search. Code that does not return
// must not be called again, and nondeterminism invalidates all conclusions.
func EndsRun(err error) bool {
	_, ok := errors.AsType[*sim.Finding](err)
	return ok && !IsOverdue(err) && !NeedsReference(err)
}

func IsUseAfterReturn(err error) bool {
	f, ok := errors.AsType[*sim.Finding](err)
	return ok && contain.IsUseAfterReturn(f)
}
