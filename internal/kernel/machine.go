package kernel

import (
	"fmt"
	"iter"
	"log/slog"
	"slices"

	"github.com/macemc/macemc/choose"
	"github.com/macemc/macemc/internal/encoding"
	"github.com/macemc/macemc/internal/kernel/contain"
	"github.com/macemc/macemc/internal/kernel/declared"
	"github.com/macemc/macemc/internal/kernel/memdisk"
	"github.com/macemc/macemc/internal/kernel/properties"
	"github.com/macemc/macemc/internal/kernel/stepinfo"
	"github.com/macemc/macemc/internal/simext"
	"github.com/macemc/macemc/macetime"
	"github.com/macemc/macemc/sim"
)

// machine is the world of the replay engine: it runs the services themselves and keeps no snapshots;
// an earlier state is reached by starting again.
type machine struct {
	sys     *sim.System
	opts    Options
	closing bool // a service wants to know when it is thrown away
	actions []declared.Action
	quorums []declared.Quorum
	plans   *encoding.Set
	copies  *encoding.Set // of messages: as plans, but a copy does not tell when a time was read or how a slice was made, and shares nothing
	enc     encoding.Encoder
	scratch []byte

	disturbing *declared.Disturbing // nil: nothing does

	net      sim.NetModel
	asLive   bool       // the network takes all that is pushed
	holder   sim.Queued // the network, if what nodes send leaves them one by one
	nodes    []node
	monitors []sim.Monitor
	owed     declared.Owed          // what the monitor said that was told of an event last
	left     sim.Limits             // faults of nodes that can still strike
	may      [sim.FaultCount][]bool // by node: the fault may strike it when it is up; nil: not asked yet, or all
	groups   [][]sim.NodeID         // by node: those that crash with it; nil: none does
	cuts     []stepinfo.Cut         // of the step in progress
	doubled  bool                   // a datagram was duplicated, so that messages in flight may share memory

	events  []sim.Event    // ordinary events of all blocks in order; block i is node i, the last one the network's
	asked   declared.Asker // which function is being called, nil: none
	askedAt sim.NodeID
	blocks  []int32 // block i is events[blocks[i]:blocks[i+1]]
	dirty   []bool  // per block
	stale   []int32 // the dirty blocks, unordered
	kept    []int32 // per node: one more than how many events its block begins with that need not be listed anew; 0: all must be
	buf     []sim.Event
	quiet   bool // it was quiet when timers were listed, see noteQuiet; only kept under Prompt timing
	delays  delays
	time    commonTime
	timers  map[any]*timerKind
	last    stepinfo.Step
	src     choose.Source
	choices int // asked in the step in progress
	own     int // where the effects of the handler in progress begin

	failed  *sim.Finding // first failed assertion of the step in progress
	ended   *sim.Finding // by which the checker ended the handler in progress; see end
	badType error        // a type that the state plan cannot handle, met in the step in progress

	check     properties.State
	steps     int
	nextID    sim.MessageID
	envelopes []sim.Envelope // scratch
	probing   bool           // a set is handed over in another order than its own
	bench     bool           // part of a [Bench]
	apart     bool           // checked code is called on goroutines of its own
	watching  bool           // of a bench: see Bench.EventsWatched
	watch     *contain.Watch

	swallowed int // panics by which the handler in progress was ended
}

// node is one node of a machine.
type node struct {
	id      sim.NodeID
	up      bool
	halted  bool // it is down for ever, and of what it was nothing is left
	service sim.Service
	onError sim.PeerErrorHandler // nil when the service does not care
	onReady sim.PeerReadyHandler
	stepper simext.Stepper
	armed   []timer    // in canonical order
	set     *timerKind // set last
	fits    []int32    // actions that the service has
	counts  []int32    // by action: how often it was done
	disk    memdisk.Disk
	clock   clock
	never   uint64     // set of quorums that take nothing any more
	sets    []takenSet // of its events by quorums
	closed  bool       // the service was told that it is thrown away, or must not be
	env     *env
	envs    [4]*env // of one handler after the other: making one for each takes too long
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
	opts.Contain = opts.Contain || opts.Trace // which is slow anyhow
	if opts.UseAfterReturn == nil {
		opts.UseAfterReturn = new(UseAfterReturn)
	}
	if opts.MaxChoices == 0 {
		opts.MaxChoices = 10_000
	}
	rules := append(slices.Clone(sys.State), encoding.Holding(held(sys)...))
	plans, err := encoding.NewSet(rules...)
	if err != nil {
		return nil, fmt.Errorf("system %q: %w", sys.Name, err)
	}
	copies, err := encoding.NewSet(append(rules, encoding.CopyBy(macetime.Time.Detach), encoding.ByElements(), encoding.Apart())...)
	if err != nil {
		return nil, fmt.Errorf("system %q: %w", sys.Name, err)
	}
	w := &machine{
		sys: sys, opts: opts, plans: plans, copies: copies, timers: map[any]*timerKind{},
		apart: opts.Contain || opts.Overdue != nil, watch: contain.NewWatch(opts.Overdue), groups: declared.Mates(sys),
	}
	if err := processGroups(sys, &opts); err != nil {
		return nil, err
	}
	w.actions, w.quorums, w.disturbing = declared.Actions(sys), declared.Quorums(sys), declared.DisturbingOf(sys)
	w.nodes = make([]node, sys.Nodes)
	if sys.Network != nil {
		w.net, w.asLive = sys.Network.Start(w), simext.IsLive(sys.Network)
	} else {
		w.net = noNetwork{}
	}
	if q, ok := w.net.(sim.Queued); ok {
		if oneByOne, _ := q.Queues(); oneByOne {
			w.holder = q
		}
	}
	w.blocks = make([]int32, sys.Nodes+2)
	w.dirty = make([]bool, sys.Nodes+1)
	w.kept = make([]int32, sys.Nodes)
	for i := range w.nodes {
		n := &w.nodes[i]
		n.id = sim.NodeID(i)
		n.counts = make([]int32, len(w.actions))
		n.renew(w)
		if sys.Late != nil {
			if _, err := setUp(sys, &opts, askedLate(n.id), func() bool { return sys.Late(n.id) }); err != nil {
				return nil, err
			}
		}
		if err := w.tryService(n.id); err != nil {
			return nil, err
		}
	}
	for i := range sys.Monitors {
		if err := w.tryMonitor(i); err != nil {
			return nil, err
		}
	}
	w.check.Watching = properties.Watching{Apart: opts.Contain, Watch: w.watch, Heartbeat: opts.Heartbeat}
	w.check.Init(sys, w)
	return w, nil
}

// tryService makes the service of a node, to see that it can be checked.
func (w *machine) tryService(id sim.NodeID) error {
	sys := w.sys
	s, err := setUp(sys, &w.opts, askedNew(id), func() sim.Service { return sys.New(id) })
	if err != nil {
		return err
	}
	if s == nil {
		return fmt.Errorf("system %q: New(%d) is nil", sys.Name, id)
	}
	w.closing = w.closing || declared.Closes(s)
	if _, ok := s.(simext.Showing); ok {
		w.check.MayBeStale = true
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
func (w *machine) tryMonitor(i int) error {
	m, err := setUp(w.sys, &w.opts, askedMaker(i), w.sys.Monitors[i])
	if err != nil {
		return err
	}
	if _, err := w.plans.Of(m); err != nil {
		return fmt.Errorf("system %q: monitor %d: %w", w.sys.Name, i, err)
	}
	_, err = setUp(w.sys, &w.opts, askedOwed(i), func() declared.Owed { return declared.OwedBy(m) })
	return err
}

func (w *machine) System() *sim.System { return w.sys }

func (w *machine) Last() *stepinfo.Step { return &w.last }

func (w *machine) Start(src choose.Source) error {
	if err := w.boot(src); err != nil {
		return err
	}
	return w.list()
}

// boot goes to the first state.
func (w *machine) boot(src choose.Source) error {
	w.net.Reset()
	w.left, w.doubled = declared.NodeLimits(w.sys), false
	w.steps, w.nextID = 0, 0
	w.check.Reset()
	w.monitors = w.monitors[:0]
	for i, newMonitor := range w.sys.Monitors {
		made := w.opts.asks(func() Asked { return askedMaker(i) })
		w.monitors = append(w.monitors, newMonitor())
		made()
	}
	w.listAnew()
	for i := range w.nodes {
		n := &w.nodes[i]
		if found := w.discard(n); found != nil {
			return found
		}
		n.up, n.halted, n.service, n.hashed, n.never = false, false, nil, false, 0
		w.check.Shown.Services[i] = nil
		n.armed = n.armed[:0]
		clear(n.counts)
		n.disk.Reset()
		n.clock.reset(n.id)
	}
	late := func(i int) bool {
		if w.sys.Late == nil {
			return false
		}
		defer w.opts.asks(func() Asked { return askedLate(sim.NodeID(i)) })()
		return w.sys.Late(sim.NodeID(i))
	}
	w.last.Reset(&sim.Event{Kind: sim.Boot, Peer: -1})
	w.resetDelays(src)
	w.resetTime()
	if err := w.whoFails(); err != nil {
		return err
	}
	for i := range w.nodes {
		if !late(i) {
			if err := w.load(&w.nodes[i]); err != nil {
				return err
			}
		}
	}
	for i := range w.nodes {
		if late(i) {
			continue
		}
		first := len(w.last.Effects)
		if err := w.handle(&w.nodes[i], sim.Event{Kind: sim.Boot, Node: sim.NodeID(i), Peer: -1}, nil, src); err != nil {
			return err
		}
		if err := w.apply(&w.nodes[i], first, len(w.last.Effects)); err != nil {
			return err
		}
	}
	return nil
}

// renew gives a node an Env that nobody has.
func (n *node) renew(w *machine) {
	for i := range n.envs {
		n.envs[i] = newEnv(w, n)
	}
	n.env = n.envs[n.turn]
}

// load builds the node's service and brings the node up, without booting it.
func (w *machine) load(n *node) (err error) {
	defer w.contain(n.id, &err)
	if !w.apart {
		n.service = w.sys.New(n.id)
	} else {
		n.service = asking(w, func() Asked { return askedNew(n.id) }, func() sim.Service { return w.sys.New(n.id) })
	}
	n.closed = false
	w.check.Shown.Services[n.id] = n.service
	n.onError, _ = n.service.(sim.PeerErrorHandler)
	n.onReady, _ = n.service.(sim.PeerReadyHandler)
	n.stepper, _ = n.service.(simext.Stepper)
	n.fits = n.fits[:0]
	for i := range w.actions {
		if w.actions[i].Fits(n.id, n.service) {
			n.fits = append(n.fits, int32(i))
		}
	}
	n.up = true
	w.net.Booted(n.id)
	w.touch(n)
	return nil
}

// touch notes that the node's local state may have changed.
func (w *machine) touch(n *node) {
	n.hashed = false
	w.check.Changed(n.id)
	w.relist(n.id)
}

// contain turns a panic of checked code on a node into a finding.
func (w *machine) contain(id sim.NodeID, err *error) {
	if r := recover(); r != nil {
		*err = panicFinding(id, r)
	}
}

// Nodes, Up, Dirty, Fate and Duplicated make the machine the host of its network.

func (w *machine) Nodes() int { return len(w.nodes) }

func (w *machine) Up(id sim.NodeID) bool { return w.nodes[id].up }

func (w *machine) Dirty(id sim.NodeID) {
	if !w.dirty[id] {
		w.dirty[id] = true
		w.stale = append(w.stale, int32(id))
	}
}

// VisitInFlight, TimerSet, Halted and Each make the machine what views show.

func (w *machine) VisitInFlight(yield func(sim.Envelope) bool) { w.net.InFlight(yield) }

func (w *machine) InFlight() iter.Seq[sim.Envelope] { return w.net.InFlight }

func (w *machine) TimerSet(id sim.NodeID, t any) bool {
	_, armed := w.nodes[id].findTimer(t)
	return armed
}

func (w *machine) Halted(id sim.NodeID) bool { return w.nodes[id].halted }

func (w *machine) Service(id sim.NodeID) sim.Service { return w.nodes[id].service }

// held lists what the handlers of s are made of: closures, which may hold what is older than any run.
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
