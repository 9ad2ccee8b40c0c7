package ftcommit

import (
	"slices"

	"github.com/macemc/macemc/internal/test/papers/smr"
)

// Operations on participants. Keys are transactions.
const (
	prepare = "prepare"
	commit  = "commit"
	abort   = "abort"
)

// Results of operations.
const (
	no     = 0
	yes    = 1
	absurd = -1 // it was not prepared
)

// Participant is the replicated state. It is immutable: operations return a new one.
type Participant struct {
	Prepared           int // transaction; 0 for none
	Committed, Aborted []int
	Bugs               bugs
}

// Do implements [smr.App].
func (p Participant) Do(op smr.Op) (smr.App, int) {
	switch {
	case op.Do == prepare && p.Prepared != 0 && !p.Bugs.has(ft2):
		return p, no
	case op.Do == prepare:
		p.Prepared = op.Key
		return p, yes
	case p.Prepared != op.Key:
		return p, absurd
	case op.Do == commit:
		p.Committed = with(p.Committed, op.Key)
	default:
		p.Aborted = with(p.Aborted, op.Key)
	}
	p.Prepared = 0
	return p, yes
}

func with(list []int, t int) []int { return slices.Clip(append(slices.Clone(list), t)) }
