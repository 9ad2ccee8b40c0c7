package store

import (
	"github.com/macemc/macemc/internal/encoding"
	"github.com/macemc/macemc/internal/kernel/bench"
	"github.com/macemc/macemc/internal/kernel/declared"
	"github.com/macemc/macemc/sim"
)

// failures holds which nodes crash and halt.
type failures struct {
	Crashing  []bool         // by node: it may crash when up
	Halting   []bool         // by node: it may halt when up
	Groups    [][]sim.NodeID // by node: the other nodes of its process; nil if each has its own
	NeverFail uint64         // set of nodes that neither crash nor halt in this exploration, as package crashes decides
}

// MayCrash reports whether a node crashes in this exploration.
func (f *failures) MayCrash(node int) bool { return f.Crashing[node] && f.NeverFail>>node&1 == 0 }

// MayHalt reports whether a node halts in this exploration.
func (f *failures) MayHalt(node int) bool { return f.Halting[node] && f.NeverFail>>node&1 == 0 }

// GroupOf returns the nodes that crash and halt together with a node.
func (f *failures) GroupOf(node sim.NodeID) []sim.NodeID {
	if f.Groups == nil {
		return nil
	}
	return f.Groups[node]
}

// Group returns the set of nodes that a crash of a node can take down.
func (f *failures) Group(node uint8) uint64 {
	all := uint64(1) << node
	for _, mate := range f.GroupOf(sim.NodeID(node)) {
		all |= 1 << mate
	}
	return all
}

// AllowAll lets all nodes crash until again is called.
func (f *failures) AllowAll() (again func()) {
	spared := f.NeverFail
	f.NeverFail = 0
	return func() { f.NeverFail = spared }
}

// budgets holds the shares of the remaining faults in fingerprints.
type budgets struct {
	crashes []encoding.Fingerprint // by remaining crashes, without halts
	halts   []encoding.Fingerprint // by remaining halts: added to that of the crashes
}

func (b *budgets) init(sys *sim.System, h *bench.Bench) {
	for left := range sys.Crashes + 1 {
		b.crashes = append(b.crashes, h.HashBudgets(sim.Limits{sim.Crashes: left}))
	}
	for left := range declared.MostHalts(sys) + 1 {
		b.halts = append(b.halts, h.HashBudgets(sim.Limits{sim.Halts: left}).Sub(b.crashes[0]))
	}
}

// Hash returns the share of a budget in the fingerprint.
func (b *budgets) Hash(budget uint32) encoding.Fingerprint {
	return b.crashes[CrashesLeft(budget)].Add(b.halts[HaltsLeft(budget)])
}

// The budget is one word: the remaining crashes, and above them the halts.
const (
	OneCrash = 1
	OneHalt  = 1 << 24 // more than [sim.MaxFaults]
)

// FaultsLeft returns the remaining faults of nodes.
func FaultsLeft(budget uint32) sim.Limits {
	return sim.Limits{sim.Crashes: CrashesLeft(budget), sim.Halts: HaltsLeft(budget)}
}

func CrashesLeft(budget uint32) int { return int(budget % OneHalt) }

func HaltsLeft(budget uint32) int { return int(budget / OneHalt) }
