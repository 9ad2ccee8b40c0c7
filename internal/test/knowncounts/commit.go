package knowncounts

import "fmt"

type phase uint8

const (
	working phase = iota
	prepared
	committed
	aborted
)

// agree reports whether no two resource managers have decided differently.
func agree(rms []phase) bool {
	var seen [4]bool
	for _, p := range rms {
		seen[p] = true
	}
	return !seen[committed] || !seen[aborted]
}

// managers are three resource managers of a transaction commit.
type managers [3]phase

func (managers) first(drawer) managers { return managers{} }

func (m managers) all(ok func(phase) bool) bool {
	for _, p := range m {
		if !ok(p) {
			return false
		}
	}
	return true
}

func (m managers) next() (out []managers) {
	canCommit := m.all(func(p phase) bool { return p == prepared || p == committed })
	notCommitted := m.all(func(p phase) bool { return p != committed })
	for i, p := range m {
		to := func(q phase) {
			n := m
			n[i] = q
			out = append(out, n)
		}
		if p == working {
			to(prepared)
		}
		if p == prepared && canCommit {
			to(committed)
		}
		if (p == working || p == prepared) && notCommitted {
			to(aborted)
		}
	}
	return out
}

func (m managers) holds() bool { return agree(m[:]) }

func tCommit() System {
	return System{Name: "TCommit", Source: examples + "transaction_commit/TCommit.cfg", System: relation[managers](), States: 34}
}

// transaction is two-phase commit. Messages are sets that only grow, as bits.
type transaction struct {
	RMs           [5]phase
	N             int // number of resource managers
	TM            phase
	HasPrepared   uint // by resource manager: the transaction manager has its prepared message
	Prepared      uint // messages
	Commit, Abort bool // messages
}

func (t transaction) step() (out []transaction) {
	add := func(change func(*transaction)) {
		n := t
		change(&n)
		out = append(out, n)
	}
	all := uint(1)<<t.N - 1
	if t.TM == working && t.HasPrepared == all {
		add(func(n *transaction) { n.TM, n.Commit = committed, true })
	}
	if t.TM == working {
		add(func(n *transaction) { n.TM, n.Abort = aborted, true })
	}
	for i := range t.N {
		if t.TM == working && t.Prepared>>i&1 == 1 {
			add(func(n *transaction) { n.HasPrepared |= 1 << i })
		}
		if t.RMs[i] == working {
			add(func(n *transaction) { n.RMs[i] = prepared; n.Prepared |= 1 << i })
			add(func(n *transaction) { n.RMs[i] = aborted })
		}
		if t.Commit {
			add(func(n *transaction) { n.RMs[i] = committed })
		}
		if t.Abort {
			add(func(n *transaction) { n.RMs[i] = aborted })
		}
	}
	return out
}

func (t transaction) holds() bool { return agree(t.RMs[:t.N]) }

type transaction3 struct{ transaction }

func (transaction3) first(drawer) transaction3 { return transaction3{transaction{N: 3}} }
func (t transaction3) next() (out []transaction3) {
	for _, n := range t.step() {
		out = append(out, transaction3{n})
	}
	return out
}

type transaction5 struct{ transaction }

func (transaction5) first(drawer) transaction5 { return transaction5{transaction{N: 5}} }
func (t transaction5) next() (out []transaction5) {
	for _, n := range t.step() {
		out = append(out, transaction5{n})
	}
	return out
}

func twoPhase(managers int) System {
	s := System{Name: fmt.Sprintf("TwoPhase, %d resource managers", managers)}
	switch managers {
	case 3:
		s.Source, s.System, s.States = examples+"transaction_commit/TwoPhase.cfg", relation[transaction3](), 288
	case 5:
		s.Source, s.System, s.States = "github.com/stateright/stateright, examples/2pc.rs", relation[transaction5](), 8832
	}
	return s
}
