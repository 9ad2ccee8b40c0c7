package kernel

import (
	"iter"
	"log/slog"

	"github.com/macemc/macemc/choose"
	"github.com/macemc/macemc/internal/encoding"
	"github.com/macemc/macemc/internal/kernel/contain"
	"github.com/macemc/macemc/internal/kernel/declared"
	"github.com/macemc/macemc/internal/kernel/delays"
	"github.com/macemc/macemc/internal/kernel/memdisk"
	"github.com/macemc/macemc/internal/kernel/properties"
	"github.com/macemc/macemc/internal/kernel/stepinfo"
	"github.com/macemc/macemc/internal/netmodel"
	"github.com/macemc/macemc/internal/simext"
	"github.com/macemc/macemc/macetime"
	"github.com/macemc/macemc/sim"
)

// Machine is the world of the replay engine. It runs the services themselves and keeps no snapshots: an earlier state
// is reached by starting again.
//
// Questions, requests and broken rules are recorded in place: a pointer to another object would be followed in each step.
// Exported members serve packages bench and runner, which set a machine up piece by piece.
type Machine struct {
	Sys      *sim.System
	Opts     Options
	Closing  bool // a service has a Close method
	programs bool // a service is a [simext.Struck]
	Actions  []declared.Action
	Quorums  []declared.Quorum
	plans    *encoding.Set
	Copies   *encoding.Set // of messages: as plans, but a copy omits when a time was read and how a slice was made, and shares nothing
	Enc      encoding.Encoder
	scratch  []byte

	disturbing *declared.Disturbing // nil if nothing disturbs

	Net        netmodel.Model
	names      bool            // the network describes messages for people, see [encoding.Plan.Names]
	Idle       netmodel.Model  // the network of a bench while a handler runs, from which quorums take nothing; nil without a bench
	acceptsAll bool            // the network accepts everything pushed
	Holder     netmodel.Queued // the network, if messages leave their sender one by one
	Members    []Node
	Monitors   []sim.Monitor
	Owed       declared.Owed  // the obligations that the last notified monitor returned
	FaultsLeft sim.Limits     // faults of nodes that can still strike
	cuts       []stepinfo.Cut // of the step in progress
	doubled    bool           // a datagram was duplicated, so that messages in flight may share memory

	events      eventList
	asked       declared.Asker // the function being called, nil if none
	askedAt     sim.NodeID
	buf         []netmodel.Event
	Quiet       bool // whether it was quiet when timers were listed, see noteQuiet; maintained only under Prompt timing
	last        stepinfo.Step
	Src         choose.Source
	Choices     int // asked in the step in progress
	FirstEffect int // where the effects of the handler in progress begin

	Failed  *sim.Finding // first failed assertion of the step in progress
	Ended   *sim.Finding // the finding by which the checker ended the handler in progress; see end
	BadType error        // a type that the state plan cannot handle, found in the step in progress

	Properties    properties.State
	Steps         int
	nextID        sim.MessageID
	envelopes     []sim.Envelope // scratch
	Probing       bool           // a set is being handed over in another order than its own
	OnBench       bool           // part of a [bench.Bench]
	ownGoroutines bool           // checked code is called on separate goroutines
	Watching      bool           // of a bench: see Bench.EventsWatched
	watch         *contain.Watch
	started       contain.Started // with Settle

	failedRule stateRule // whose function has failed in this run

	swallowed int // number of panics that tried to end the handler in progress

	// Fields that a step hardly reads are last, so that the others share few cache lines.

	limits     sim.Limits             // of faults of nodes
	May        [sim.FaultCount][]bool // by node: the fault may strike it when it is up; nil if not determined yet, or if it may strike all
	Groups     [][]sim.NodeID         // by node: the nodes that crash with it; nil if none do
	delays     delays.Delays
	time       virtualTime
	Timers     map[any]*timerKind
	components iter.Seq2[Component, encoding.Fingerprint] // made once, because verified runs list the components of each state
}

// Node is one node of a machine. It holds all fields of the node that a handler touches, so that they are close
// together in memory.
type Node struct {
	ID      sim.NodeID
	Up      bool
	halted  bool // it is down permanently, and its state is erased
	Service sim.Service
	onError sim.PeerErrorHandler // nil if the service does not implement it
	onReady sim.PeerReadyHandler
	Stepper simext.Stepper
	Armed   []timer    // in canonical order
	set     *timerKind // set last
	Fits    []int32    // actions that the service has
	Counts  []int32    // by action: how often it was done
	Disk    memdisk.Disk
	Clock   macetime.Model
	never   uint64     // set of quorums that take nothing any more
	sets    []takenSet // of its events by quorums
	closed  bool       // the service was closed, or must not be
	Env     *env
	envs    [4]*env // used in turn by handlers, since making one for each takes too long
	turn    int

	hash   encoding.Fingerprint
	hashed bool
}

func (w *Machine) System() *sim.System { return w.Sys }

func (w *Machine) Last() *stepinfo.Step { return &w.last }

// renew replaces the Envs of a node by new ones that nothing refers to.
func (n *Node) renew(w *Machine) {
	for i := range n.envs {
		n.envs[i] = NewEnv(w, n)
	}
	n.Env = n.envs[n.turn]
}

// Touch notes that the node's local state may have changed.
func (w *Machine) Touch(n *Node) {
	n.hashed = false
	w.Properties.Changed(n.ID)
	w.relist(n.ID)
}

// Contain turns a panic of checked code on a node into a finding.
func (w *Machine) Contain(id sim.NodeID, err *error) {
	if r := recover(); r != nil {
		*err = panicError(id, r)
	}
}

// Nodes, Up, Dirty, Fate and Duplicated are the methods that the network model calls.

func (w *Machine) Nodes() int { return len(w.Members) }

func (w *Machine) Up(id sim.NodeID) bool { return w.Members[id].Up }

func (w *Machine) Dirty(id sim.NodeID) { w.events.Mark(int(id)) }

// VisitInFlight, TimerSet, Halted and Each let views read the machine.

func (w *Machine) VisitInFlight(yield func(sim.Envelope) bool) { w.Net.InFlight(yield) }

func (w *Machine) InFlight() iter.Seq[sim.Envelope] { return w.Net.InFlight }

func (w *Machine) TimerSet(id sim.NodeID, t any) bool {
	_, armed := w.Members[id].FindTimer(t)
	return armed
}

func (w *Machine) Halted(id sim.NodeID) bool { return w.Members[id].halted }

func (w *Machine) Service(id sim.NodeID) sim.Service { return w.Members[id].Service }

var discard = slog.New(slog.DiscardHandler)
