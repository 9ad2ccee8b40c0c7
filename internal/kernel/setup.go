package kernel

import (
	"fmt"
	"reflect"

	"github.com/macemc/macemc/internal/encoding"
	"github.com/macemc/macemc/internal/encoding/rule"
	"github.com/macemc/macemc/internal/kernel/contain"
	"github.com/macemc/macemc/internal/kernel/declared"
	"github.com/macemc/macemc/internal/kernel/properties"
	"github.com/macemc/macemc/internal/netmodel"
	"github.com/macemc/macemc/internal/simext"
	"github.com/macemc/macemc/macetime"
	"github.com/macemc/macemc/sim"
)

// setUpTicks is the time limit of a system's function when a world is made, in units of [contain.WatchInterval]: three
// seconds.
const setUpTicks = 60

// Asked names checked code being called that is neither a handler nor a property.
type Asked struct {
	Name   string
	Making bool // no system can be made without calling it: New, Late, a monitor's constructor, and a new monitor's obligations
}

func askedNew(id sim.NodeID) Asked { return Asked{fmt.Sprintf("New(%d)", id), true} }

func askedLate(id sim.NodeID) Asked { return Asked{fmt.Sprintf("Late(%d)", id), true} }

func askedMaker(monitor int) Asked {
	return Asked{fmt.Sprintf("the function that makes monitor %d", monitor), true}
}

// askedOwed names the Obligations call of a monitor before its first event.
func askedOwed(monitor int) Asked {
	return Asked{fmt.Sprintf("Obligations() of monitor %d", monitor), true}
}

// setUp calls a function of a system while a world is made, before any search watches it. The error reports that it did
// not return, or how else it failed. what names the function.
func setUp[T any](sys *sim.System, opts *Options, what Asked, f func() T) (v T, err error) {
	defer opts.asks(func() Asked { return what })()
	w := contain.NewWatch(func(ticks int) bool { return ticks >= setUpTicks })
	defer w.Ticker.Stop()
	defer func() {
		r := recover()
		if r == nil {
			return
		}
		if found, ok := r.(*sim.Finding); ok && contain.Overdue(found) {
			err = fmt.Errorf("system %q: %s does not return: it took more than %v", sys.Name, what.Name, setUpTicks*contain.WatchInterval)
			return
		}
		value, stack := contain.RaisedBy(r)
		err = fmt.Errorf("system %q: %s %s\n%s", sys.Name, what.Name, contain.PanicText(value, "panicked: %v"), stack)
	}()
	return contain.Value(w, f), nil
}

// asking calls a function that is neither a handler nor a property, contained, and reports the call to Options.Asking.
func asking[T any](w *Machine, what func() Asked, f func() T) T {
	defer w.Opts.asks(what)()
	return contain.Value(w.watch, f)
}

// stateRule identifies a function of a state rule.
type stateRule struct {
	name string // EncodeBy or CopyBy
	of   reflect.Type
}

// ruleCalls calls the functions of state rules. It panics with a finding if one fails. After that, the state of a run is only
// inspected, and that function is not called.
type ruleCalls struct{ w *Machine }

func (c ruleCalls) Begin() (direct bool) {
	w := c.w
	if w.Opts.Contain || w.failedRule.of != nil {
		return false
	}
	if w.Opts.Heartbeat != nil {
		w.Opts.Heartbeat.Begin()
	}
	return true
}

func (c ruleCalls) End(rule string, of reflect.Type) {
	r := recover()
	if c.w.Opts.Heartbeat != nil {
		c.w.Opts.Heartbeat.End()
	}
	c.failed(stateRule{rule, of}, r)
}

func (c ruleCalls) Call(rule string, of reflect.Type, f func()) {
	w, called := c.w, stateRule{rule, of}
	if w.failedRule == called {
		return
	}
	if !w.Opts.Contain {
		if w.Opts.Heartbeat != nil {
			w.Opts.Heartbeat.Begin()
		}
		defer c.End(rule, of)
		f()
		return
	}
	defer func() { c.failed(called, recover()) }()
	defer w.Opts.asks(func() Asked { return Asked{Name: called.String()} })()
	contain.Call(w.watch, f)
}

// failed panics with the finding about a function that has panicked with r, unless r is nil.
func (c ruleCalls) failed(called stateRule, r any) {
	if r == nil {
		return
	}
	if !c.w.OnBench {
		c.w.failedRule = called
	}
	switch r.(type) {
	case *encoding.Error, *sim.Finding:
		panic(r)
	}
	panic(contain.Panicked(called.String(), r))
}

func (r stateRule) String() string { return fmt.Sprintf("the %s function of %v", r.name, r.of) }

// asks reports to Asking that checked code other than a handler or a property is called, until end is called.
func (o *Options) asks(what func() Asked) (end func()) {
	tell := o.Asking
	if tell == nil {
		return func() {}
	}
	tell(what())
	return func() { tell(Asked{}) }
}

// startNetwork sets the model of the network. Whether nodes run programs is known once their services were made.
func startNetwork(w *Machine, network netmodel.Network) {
	programs, ok := network.(netmodel.OfPrograms)
	switch {
	case network == nil:
		w.Net = declared.NoNetwork{}
	case ok && w.programs:
		w.Net = programs.StartOfPrograms(w)
	default:
		w.Net, w.acceptsAll = network.Start(w), simext.IsLive(network)
	}
}

// NewWorld returns a world of the replay engine, not yet started. The error is about the system: it
// is invalid, or some state cannot be encoded. sys must not be changed while the world is in use.
func NewWorld(sys *sim.System, opts Options) (World, error) {
	if err := sys.Validate(); err != nil {
		return nil, err
	}
	network, err := netmodel.Of(sys)
	if err != nil {
		return nil, err
	}
	opts.Contain = opts.Contain || opts.Trace // tracing is slow anyway
	if opts.UseAfterReturn == nil {
		opts.UseAfterReturn = new(contain.UseAfterReturn)
	}
	if opts.MaxChoices == 0 {
		opts.MaxChoices = 10_000
	}
	w := &Machine{
		Sys: sys, Opts: opts, limits: declared.NodeLimits(sys), Groups: declared.ProcessGroups(sys), Quorums: declared.Quorums(sys),
		disturbing: declared.DisturbingOf(sys), Actions: declared.Actions(sys), Timers: map[any]*timerKind{},
		ownGoroutines: opts.Contain || opts.Overdue != nil, watch: contain.NewWatch(opts.Overdue),
	}
	if err := w.plan(); err != nil {
		return nil, fmt.Errorf("system %q: %w", sys.Name, err)
	}
	if err := checkGroups(sys, &opts); err != nil {
		return nil, err
	}
	w.components = w.yieldComponents
	w.Members = make([]Node, sys.Nodes)
	startNetwork(w, network)
	if q, ok := w.Net.(netmodel.Queued); ok {
		if oneByOne, _ := q.Queues(); oneByOne {
			w.Holder = q
		}
	}
	w.events = newEventList(sys.Nodes)
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
	if err := declared.CheckPrograms(w.Sys, w.programs); err != nil {
		return nil, err
	}
	if w.programs {
		startNetwork(w, network)
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

// plan makes the sets of rules by which states are encoded and copied.
func (w *Machine) plan() (err error) {
	rules := declared.Rules(w.Sys.State, rule.Holding(declared.Functions(w.Sys)...))
	if w.plans, err = encoding.NewSet(rules...); err != nil {
		return err
	}
	w.Copies, err = encoding.NewSet(append(rules, rule.CopyBy(macetime.Time.Detach), rule.ByElements(), rule.Apart())...)
	if err != nil {
		return err
	}
	w.plans.Calls, w.Copies.Calls = ruleCalls{w}, ruleCalls{w}
	return nil
}

// checkGroups rejects containers in which only some of the nodes may crash or halt.
func checkGroups(sys *sim.System, opts *Options) error {
	for i := range crashFaults {
		may, name := crashFaults[i].may(sys), crashFaults[i].name
		if may == nil {
			continue
		}
		for i, c := range sys.Containers {
			for _, id := range c[1:] {
				differ, err := setUp(sys, opts, Asked{Name: name}, func() bool { return may(c[0]) != may(id) })
				if err != nil {
					return err
				}
				if differ {
					return fmt.Errorf("system %q: Containers %d: %s tells nodes %d and %d apart, which run in one process: either both fail or none",
						sys.Name, i, name, c[0], id)
				}
			}
		}
	}
	return nil
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
	if _, ok := s.(simext.Struck); ok {
		w.programs = true
	}
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
