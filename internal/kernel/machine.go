package kernel

import (
	"fmt"
	"iter"
	"log/slog"
	"slices"

	"github.com/macemc/macemc/choose"
	"github.com/macemc/macemc/internal/encoding"
	"github.com/macemc/macemc/internal/encoding/rule"
	"github.com/macemc/macemc/internal/kernel/contain"
	"github.com/macemc/macemc/internal/kernel/declared"
	"github.com/macemc/macemc/internal/kernel/memdisk"
	"github.com/macemc/macemc/internal/kernel/properties"
	"github.com/macemc/macemc/internal/kernel/stepinfo"
	"github.com/macemc/macemc/internal/simext"
	"github.com/macemc/macemc/macetime"
	"github.com/macemc/macemc/sim"
)

// Machine is the world of the replay engine. It runs the services themselves and keeps no snapshots: an earlier state
// is reached by starting again.
//
// It has many fields and methods because a handler may touch every part of a step. Questions, requests and broken rules
// are recorded in place: a pointer to another object would be followed in each step. Each file holds the methods of one
// concern. Exported members serve packages bench and runner, which set a machine up piece by piece.
type Machine struct {
	Sys     *sim.System
	Opts    Options
	Closing bool // a service has a Close method
	Actions []declared.Action
	Quorums []declared.Quorum
	plans   *encoding.Set
	Copies  *encoding.Set // of messages: as plans, but a copy omits when a time was read and how a slice was made, and shares nothing
	Enc     encoding.Encoder
	scratch []byte

	disturbing *declared.Disturbing // nil if nothing disturbs

	Net      sim.NetModel
	Idle     sim.NetModel // the network of a bench while a handler runs, from which quorums take nothing; nil without a bench
	asLive   bool         // the network accepts everything pushed
	Holder   sim.Queued   // the network, if messages leave their sender one by one
	Members  []Node
	Monitors []sim.Monitor
	Owed     declared.Owed          // the obligations that the last notified monitor returned
	Left     sim.Limits             // faults of nodes that can still strike
	May      [sim.FaultCount][]bool // by node: the fault may strike it when it is up; nil if not determined yet, or if it may strike all
	Groups   [][]sim.NodeID         // by node: the nodes that crash with it; nil if none do
	cuts     []stepinfo.Cut         // of the step in progress
	doubled  bool                   // a datagram was duplicated, so that messages in flight may share memory

	events      []sim.Event    // ordinary events of all blocks in order; block i is node i, the last one the network's
	asked       declared.Asker // the function being called, nil if none
	askedAt     sim.NodeID
	blocks      []int32 // block i is events[blocks[i]:blocks[i+1]]
	dirty       []bool  // per block
	stale       []int32 // the dirty blocks, unordered
	kept        []int32 // per node: one plus the number of leading events of its block that are still valid; 0 if all must be relisted
	buf         []sim.Event
	Quiet       bool // whether it was quiet when timers were listed, see noteQuiet; maintained only under Prompt timing
	delays      delays
	time        commonTime
	Timers      map[any]*timerKind
	last        stepinfo.Step
	Src         choose.Source
	Choices     int // asked in the step in progress
	FirstEffect int // where the effects of the handler in progress begin

	Failed  *sim.Finding // first failed assertion of the step in progress
	Ended   *sim.Finding // the finding by which the checker ended the handler in progress; see end
	BadType error        // a type that the state plan cannot handle, found in the step in progress

	Properties properties.State
	Steps      int
	nextID     sim.MessageID
	envelopes  []sim.Envelope // scratch
	Probing    bool           // a set is being handed over in another order than its own
	OnBench    bool           // part of a [bench.Bench]
	apart      bool           // checked code is called on separate goroutines
	Watching   bool           // of a bench: see Bench.EventsWatched
	watch      *contain.Watch

	swallowed int // number of panics that tried to end the handler in progress
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
	Clock   clock
	never   uint64     // set of quorums that take nothing any more
	sets    []takenSet // of its events by quorums
	closed  bool       // the service was closed, or must not be
	Env     *env
	envs    [4]*env // used in turn by handlers, since making one for each takes too long
	turn    int

	hash   sim.Fingerprint
	hashed bool
}

// NewWorld returns a world of the replay engine, not yet started. The error is about the system: it
// is invalid, or some state cannot be encoded. sys must not be changed while the world is in use.
func NewWorld(sys *sim.System, opts Options) (World, error) {
	if err := sys.Validate(); err != nil {
		return nil, err
	}
	opts.Contain = opts.Contain || opts.Trace // tracing is slow anyway
	if opts.UseAfterReturn == nil {
		opts.UseAfterReturn = new(UseAfterReturn)
	}
	if opts.MaxChoices == 0 {
		opts.MaxChoices = 10_000
	}
	rules := append(slices.Clone(sys.State), rule.Holding(held(sys)...))
	plans, err := encoding.NewSet(rules...)
	if err != nil {
		return nil, fmt.Errorf("system %q: %w", sys.Name, err)
	}
	copies, err := encoding.NewSet(append(rules, rule.CopyBy(macetime.Time.Detach), rule.ByElements(), rule.Apart())...)
	if err != nil {
		return nil, fmt.Errorf("system %q: %w", sys.Name, err)
	}
	w := &Machine{
		Sys: sys, Opts: opts, plans: plans, Copies: copies, Timers: map[any]*timerKind{},
		apart: opts.Contain || opts.Overdue != nil, watch: contain.NewWatch(opts.Overdue), Groups: declared.Mates(sys),
	}
	if err := processGroups(sys, &opts); err != nil {
		return nil, err
	}
	w.Actions, w.Quorums, w.disturbing = declared.Actions(sys), declared.Quorums(sys), declared.DisturbingOf(sys)
	w.Members = make([]Node, sys.Nodes)
	if sys.Network != nil {
		w.Net, w.asLive = sys.Network.Start(w), simext.IsLive(sys.Network)
	} else {
		w.Net = NoNetwork{}
	}
	if q, ok := w.Net.(sim.Queued); ok {
		if oneByOne, _ := q.Queues(); oneByOne {
			w.Holder = q
		}
	}
	w.blocks = make([]int32, sys.Nodes+2)
	w.dirty = make([]bool, sys.Nodes+1)
	w.kept = make([]int32, sys.Nodes)
	for i := range w.Members {
		n := &w.Members[i]
		n.ID = sim.NodeID(i)
		n.Counts = make([]int32, len(w.Actions))
		n.renew(w)
		if sys.Late != nil {
			if _, err := setUp(sys, &opts, askedLate(n.ID), func() bool { return sys.Late(n.ID) }); err != nil {
				return nil, err
			}
		}
		if err := w.tryService(n.ID); err != nil {
			return nil, err
		}
	}
	for i := range sys.Monitors {
		if err := w.tryMonitor(i); err != nil {
			return nil, err
		}
	}
	w.Properties.Watching = properties.Watching{Apart: opts.Contain, Watch: w.watch, Heartbeat: opts.Heartbeat}
	w.Properties.Init(sys, w)
	return w, nil
}

// tryService makes the service of a node, to verify that it can be checked.
func (w *Machine) tryService(id sim.NodeID) error {
	sys := w.Sys
	s, err := setUp(sys, &w.Opts, askedNew(id), func() sim.Service { return sys.New(id) })
	if err != nil {
		return err
	}
	if s == nil {
		return fmt.Errorf("system %q: New(%d) is nil", sys.Name, id)
	}
	w.Closing = w.Closing || declared.Closes(s)
	if _, ok := s.(simext.Showing); ok {
		w.Properties.MayBeStale = true
	}
	if c, ok := s.(simext.Conditional); ok {
		if err := c.CanRun(); err != nil {
			return fmt.Errorf("system %q: node %d: %w", sys.Name, id, &simext.CannotRun{Err: err})
		}
	}
	if _, err := w.plans.Of(s); err != nil {
		return fmt.Errorf("system %q: node %d: %w", sys.Name, id, err)
	}
	declared.Discard(s)
	return nil
}

// tryMonitor makes a monitor, likewise.
func (w *Machine) tryMonitor(i int) error {
	m, err := setUp(w.Sys, &w.Opts, askedMaker(i), w.Sys.Monitors[i])
	if err != nil {
		return err
	}
	if _, err := w.plans.Of(m); err != nil {
		return fmt.Errorf("system %q: monitor %d: %w", w.Sys.Name, i, err)
	}
	_, err = setUp(w.Sys, &w.Opts, askedOwed(i), func() declared.Owed { return declared.OwedBy(m) })
	return err
}

func (w *Machine) System() *sim.System { return w.Sys }

func (w *Machine) Last() *stepinfo.Step { return &w.last }

func (w *Machine) Start(src choose.Source) error {
	if err := w.boot(src); err != nil {
		return err
	}
	return w.list()
}

// boot sets the initial state.
func (w *Machine) boot(src choose.Source) error {
	w.Net.Reset()
	w.Left, w.doubled = declared.NodeLimits(w.Sys), false
	w.Steps, w.nextID = 0, 0
	w.Properties.Reset()
	w.Monitors = w.Monitors[:0]
	for i, newMonitor := range w.Sys.Monitors {
		made := w.Opts.asks(func() Asked { return askedMaker(i) })
		w.Monitors = append(w.Monitors, newMonitor())
		made()
	}
	w.listAnew()
	for i := range w.Members {
		n := &w.Members[i]
		if found := w.Discard(n); found != nil {
			return found
		}
		n.Up, n.halted, n.Service, n.hashed, n.never = false, false, nil, false, 0
		w.Properties.Shown.Services[i] = nil
		n.Armed = n.Armed[:0]
		clear(n.Counts)
		n.Disk.Reset()
		n.Clock.Reset(n.ID)
	}
	late := func(i int) bool {
		if w.Sys.Late == nil {
			return false
		}
		defer w.Opts.asks(func() Asked { return askedLate(sim.NodeID(i)) })()
		return w.Sys.Late(sim.NodeID(i))
	}
	w.last.Reset(&sim.Event{Kind: sim.Boot, Peer: -1})
	w.resetDelays(src)
	w.resetTime()
	if err := w.WhoFails(); err != nil {
		return err
	}
	for i := range w.Members {
		if !late(i) {
			if err := w.Load(&w.Members[i]); err != nil {
				return err
			}
		}
	}
	for i := range w.Members {
		if late(i) {
			continue
		}
		first := len(w.last.Effects)
		if err := w.Handle(&w.Members[i], sim.Event{Kind: sim.Boot, Node: sim.NodeID(i), Peer: -1}, nil, src); err != nil {
			return err
		}
		if err := w.Apply(&w.Members[i], first, len(w.last.Effects)); err != nil {
			return err
		}
	}
	return nil
}

// renew replaces the Envs of a node by new ones that nothing refers to.
func (n *Node) renew(w *Machine) {
	for i := range n.envs {
		n.envs[i] = NewEnv(w, n)
	}
	n.Env = n.envs[n.turn]
}

// Load builds the node's service and brings the node up, without booting it.
func (w *Machine) Load(n *Node) (err error) {
	defer w.Contain(n.ID, &err)
	if !w.apart {
		n.Service = w.Sys.New(n.ID)
	} else {
		n.Service = asking(w, func() Asked { return askedNew(n.ID) }, func() sim.Service { return w.Sys.New(n.ID) })
	}
	n.closed = false
	w.Properties.Shown.Services[n.ID] = n.Service
	n.onError, _ = n.Service.(sim.PeerErrorHandler)
	n.onReady, _ = n.Service.(sim.PeerReadyHandler)
	n.Stepper, _ = n.Service.(simext.Stepper)
	n.Fits = n.Fits[:0]
	for i := range w.Actions {
		if w.Actions[i].Fits(n.ID, n.Service) {
			n.Fits = append(n.Fits, int32(i))
		}
	}
	n.Up = true
	w.Net.Booted(n.ID)
	w.Touch(n)
	return nil
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
		*err = PanicFinding(id, r)
	}
}

// Nodes, Up, Dirty, Fate and Duplicated make the machine the host of its network.

func (w *Machine) Nodes() int { return len(w.Members) }

func (w *Machine) Up(id sim.NodeID) bool { return w.Members[id].Up }

func (w *Machine) Dirty(id sim.NodeID) {
	if !w.dirty[id] {
		w.dirty[id] = true
		w.stale = append(w.stale, int32(id))
	}
}

// VisitInFlight, TimerSet, Halted and Each make the machine what views show.

func (w *Machine) VisitInFlight(yield func(sim.Envelope) bool) { w.Net.InFlight(yield) }

func (w *Machine) InFlight() iter.Seq[sim.Envelope] { return w.Net.InFlight }

func (w *Machine) TimerSet(id sim.NodeID, t any) bool {
	_, armed := w.Members[id].FindTimer(t)
	return armed
}

func (w *Machine) Halted(id sim.NodeID) bool { return w.Members[id].halted }

func (w *Machine) Service(id sim.NodeID) sim.Service { return w.Members[id].Service }

// held lists the functions of s. Their closures may hold memory that is older than any run.
func held(s *sim.System) []any {
	held := []any{s.New, s.Late, s.MayCrash, s.MayHalt}
	for _, a := range s.Actions {
		held = append(held, a)
	}
	for _, q := range s.Quorums {
		held = append(held, q)
	}
	for _, m := range s.Monitors {
		held = append(held, m)
	}
	return held
}

var discard = slog.New(slog.DiscardHandler)
