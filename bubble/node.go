package bubble

import (
	"context"
	"fmt"
	"slices"
	"testing/synctest"
	"time"

	"github.com/macemc/macemc/bubble/internal/filetree"
	"github.com/macemc/macemc/internal/simext"
	"github.com/macemc/macemc/sim"
)

// Main is the main function of a node. The node's process ends when it returns.
type Main func(ctx context.Context, h *Host) error

// boot holds the parameters of a node's boot.
type boot struct {
	self  sim.NodeID
	nodes int // of the system
	times int // number of earlier boots
	seed  uint64
	// offset is the time from the node's clock to its wall clock, in nanoseconds.
	offset int64
	disk   []filetree.Record // sorted by key

	data    string             // path of the data directory
	files   *filetree.Restored // nil means that the node has no data directory
	hosts   Hosts
	command *command // nil means that the node is not a process
}

// node is a running node: a bubble with the goroutines of its program, driven from outside. The caller of its methods must hold the lock
// stepping.
type node struct {
	ctl     control       // shared with the scheduler in the runtime
	host    *Host         // nil until the boot
	process *process      // nil means that the program uses the checker's package variables
	done    chan struct{} // receives a value when the bubble exists, and is closed when it has ended
	quit    chan struct{} // closed to end the bubble
	bubble  uint64        // its ID in the runtime
	now     int64         // clock reading, in nanoseconds since 1970
	clock   int64         // clock reading of the step in progress, see input
	next    int64         // time at which the next timer fires; 0 means none
	effects []effect      // of the last step, in order; shared with host
	observation
	dying   bool        // discard was called
	choose  chooser     // makes the program's choices in the step in progress
	chosen  []chosen    // these choices
	failed  any         // value that choose panicked with
	aborted bool        // the step in progress did not terminate; the goroutines of the node are dead
	over    bool        // the program has ended, and its last state was observed
	backlog [][]Message // messages that wait for room, by node
}

// observation is the state of the last call of Observe.
type observation struct {
	fresh     any  // value that it returned in the last step; nil means none
	observing bool // it has not returned: it waits for a lock
	timely    bool // it has read the clock
}

// ownGoroutines is the number of a node's goroutines outside its program: the one that runs the bubble, and its main goroutine.
const ownGoroutines = 2

// epoch is the initial reading of all clocks of nodes. Wall clocks, which programs read, are ahead. Each crash of a node advances its clock
// by downtime.
const (
	epoch    = simext.Epoch
	downtime = 30 * 24 * time.Hour
)

// forever is the delay from which on a timer counts as absent. Libraries use such timers for "never", and the clock ends after 292 years.
const forever = 100 * 365 * 24 * time.Hour

// spinTime is the delay of the next step while goroutines of a node wait in a loop that calls runtime.Gosched.
const spinTime = 10 * time.Millisecond

// idleTime is how far the clock advances for a node without timers after a step that read it. Conditions that the program checks by polling
// the clock, such as an expired lease, then become true without a timer.
const idleTime = time.Second

// start creates a node that has not booted.
func start(b boot) *node {
	network(sockets{})
	operate(machines{})
	interceptCalls()
	processes(machines{})
	n := &node{done: make(chan struct{}), quit: make(chan struct{}), backlog: make([][]Message, b.nodes)}
	if c := b.command; c != nil {
		n.process = &process{args: slices.Clone(c.args), env: slices.Clone(c.env)}
		if n.process.initializes = c.initializes(); n.process.initializes {
			n.process.variables = c.freshVariables()
		}
	}
	n.ctl.ids = ownGoroutines
	n.ctl.wall.offset = b.offset
	n.ctl.seed = mix(b.seed ^ uint64(b.self)<<32 ^ uint64(b.times)<<48)
	go func() {
		simext.HostProgram(func() { run(func() { simext.HostProgram(n.idle) }) })
		close(n.done)
	}()
	<-n.done
	return n
}

func (n *node) begin(b boot, program Main) func() {
	return func() {
		if n.clock == 0 {
			advance(epoch + int64(b.times)*int64(downtime))
		}
		n.host = newHost(b)
		if b.files != nil {
			n.host.files.data.Save(b.files)
		}
		n.host.choose = n.chooses
		go func() {
			if n.process != nil && n.process.initializes {
				b.command.initialize(n.host)
			}
			err := program(n.host.ctx, n.host)
			n.host.returned = true
			n.host.ended = steady(fmt.Sprint("returned ", err))
		}()
	}
}

// idle is the main goroutine of the bubble between steps. It receives from a channel outside the bubble, so that time stands still
// meanwhile.
func (n *node) idle() {
	n.bubble = enter(&n.ctl)
	n.done <- struct{}{}
	<-n.quit
}

// execute calls f as the main goroutine of the bubble and runs the goroutines until all of them wait.
func (n *node) execute(f func()) {
	join()
	defer part()
	if n.clock != 0 && !n.dying {
		jump(n.clock)
	}
	f()
	n.check()
	resumeStopped()
	n.wait()
	if !n.dying {
		finishExit(n)
		n.host.files.gather()
	}
	readClock := n.ctl.readClock
	switch h := n.host; {
	case n.dying:
	case h.returned && !n.over:
		n.over = true
		if h.final != nil {
			n.fresh = h.final
		} else if !h.halted {
			n.rest()
			if n.callObserve(); n.observing {
				h.effect(effect{kind: logEffect, text: unobserved})
			}
		}
		h.finish()
		kill()
		n.wait()
	case !n.over:
		h.flush()
		n.callObserve()
	}
	if n.now, n.next = n.ctl.reading(), next(); n.next-n.now >= int64(forever) {
		n.next = 0
	}
	if soon := n.now + int64(spinTime); n.ctl.stopped != 0 && (n.next == 0 || n.next > soon) {
		n.next = soon
	} else if n.next == 0 && readClock && !n.over {
		n.next = n.now + int64(idleTime)
	}
	yield() // stored paths have two places here where another goroutine could run
	yield()
}

// wait returns when all goroutines of the program wait.
func (n *node) wait() {
	synctest.Wait()
	n.check()
}

// check panics if the step in progress was aborted.
func (n *node) check() {
	if n.aborted {
		close(n.quit)
		panic(&sim.Finding{Kind: sim.Divergence,
			Message: "the goroutines of the node did not come to rest: a loop without end, or one that waits without " +
				"runtime.Gosched or a blocking operation, which is a limit (docs/goroutines.md, What is not covered)"})
	}
}

// rest runs goroutines that are held back until all goroutines wait, in FIFO order. The schedule of a step
// may hold a goroutine back until the next step.
func (n *node) rest() {
	if n.ctl.heldBack > 0 {
		n.ctl.mode = modeFIFO
		resumeStopped()
		n.wait()
	}
}

// callObserve calls the program's Observe function, unless a goroutine is held back. The function may block on a lock.
func (n *node) callObserve() {
	if n.host.observe == nil || n.observing || n.ctl.heldBack > 0 {
		return
	}
	n.ctl.mode, n.ctl.places, n.observing = modeFIFO, nil, true
	go func() {
		n.ctl.readClock = false
		n.fresh = n.host.observe()
		n.observing, n.timely = false, n.ctl.readClock
	}()
	n.wait()
}

// checkTimely panics if the last value of Observe depends on the clock of a node, and that clock goes on between its steps.
func (n *node) checkTimely(p *pace) {
	if n.timely && p != nil {
		panic(&sim.Finding{Kind: sim.Panic, Message: fmt.Sprintf("Observe of node %d reads the clock, but with common clocks (sim.System.Clocks) "+
			"time passes between the steps of a node: observe an instant, such as the end of a lease, and let the property compare it with "+
			"the time (bubble.Program.Clock)", n.host.self)})
	}
}

// stale reports whether the last observed value is of an earlier state. The value of a program that has ended is final.
func (n *node) stale() bool {
	return !n.over && (n.observing || n.host.observe != nil && n.ctl.heldBack > 0)
}

// run executes f with the package variables of the node's process.
func (n *node) run(f func()) {
	n.enter()
	defer n.leave()
	begin(&n.ctl)
	defer end()
	simext.AwaitProgram(func() { n.execute(f) })
}

// step calls f inside the bubble and runs the goroutines until all of them wait.
func (n *node) step(f func()) {
	if n.host != nil {
		clear(n.host.pending)
		n.host.effects = n.host.effects[:0]
	}
	n.fresh, n.chosen = nil, nil
	n.ctl.number++
	n.ctl.readClock = false
	before, _, _ := intruded(n.bubble)
	n.checkIntruders(before) // a node with a goroutine that was woken between steps would not come to rest
	stepping.begin(n)
	n.run(f)
	stepping.now = nil
	n.checkIntruders(before)
	if n.failed != nil {
		panic(n.failed)
	}
	n.effects = n.host.effects
}

// sharing explains what the nodes of a finding share.
const sharing = "; nodes share package variables, unless they are processes of bubble.Command (docs/goroutines.md)"

// checkIntruders panics if goroutines and timers from outside of a node take part in the step. before is the number of goroutines of all
// nodes that had been woken outside of the steps of their nodes.
func (n *node) checkIntruders(before int) {
	count, woken, timed := intruded(n.bubble)
	text := ""
	switch {
	case timed != 0:
		text = fmt.Sprintf("goroutine %d waits for a timer that was made outside of its node, and so for the real time", timed)
	case woken != 0:
		text = fmt.Sprintf("goroutine %d was woken from outside of its node, through a channel or wait group that was made there", woken)
	case count > before:
		text = "a goroutine of another node was woken, through a channel or wait group that was made outside of that node"
	default:
		return
	}
	panic(&sim.Finding{Kind: sim.Nondeterminism, Message: text + sharing})
}

// chooses calls choose for a goroutine of the program. step repeats a panic of choose.
func (n *node) chooses(what string, k int) int {
	unscheduled(1)
	defer unscheduled(-1)
	defer func() {
		if v := recover(); v != nil {
			n.failed = v
		}
	}()
	if n.failed != nil {
		return 0
	}
	pick := n.choose.Choose(what, k)
	n.chosen = append(n.chosen, chosen{what, k, pick})
	return pick
}

// deadlock describes a deadlock of the program's goroutines, see [control.deadlock].
func (n *node) deadlock() string {
	return n.ctl.deadlock(n.host.flocks(), func(by, since uint64, waiting []uint64) bool {
		return childMayUnlock(n.bubble, by, since, waiting)
	})
}

// discard ends the node and its goroutines.
func (n *node) discard() {
	if n.aborted {
		return
	}
	n.dying = true
	n.ctl.mode = modeFIFO
	n.run(kill)
	close(n.quit)
	<-n.done
	if n.host != nil {
		n.host.files.close(n.process != nil)
	}
}
