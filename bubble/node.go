package bubble

import (
	"context"
	"fmt"
	"slices"
	"testing/synctest"
	"time"

	"github.com/macemc/macemc/internal/simext"
	"github.com/macemc/macemc/sim"
)

// Main is the program of a node: its main function. The process of the node ends when it returns.
type Main func(ctx context.Context, h *Host) error

// boot is what a node begins with.
type boot struct {
	self  sim.NodeID
	nodes int
	times int // how often it had booted before
	seed  uint64
	disk  []file // sorted by key

	data    string    // path of the data directory
	files   *restored // nil means that there is none
	hosts   Hosts
	command *command // nil means that the node is no process
}

// file is a key on a disk and its value.
type file struct {
	key   string
	value []byte
}

// node is a running node: the goroutines of its program in a bubble, which are driven from outside. Its methods need the lock
// stepping.
type node struct {
	ctl     control
	host    *Host
	process *process // nil means that package variables are those of the checker
	cmd     chan func()
	done    chan struct{}
	gone    chan struct{}
	bubble  uint64
	now     int64 // its clock, in nanoseconds since 1970
	clock   int64 // of the step in progress, see input
	next    int64 // when its next timer fires; 0: it has none
	effects []effect
	fresh   any // what Observe has returned in the last step; nil: nothing
	looking bool
	dying   bool
	choose  func(what string, n int) int // answers the program in the step in progress
	failed  any                          // what choose has panicked with
	aborted bool                         // the step in progress had no end; nothing of the node runs any more
	over    bool
	backlog [][]Message // by node: messages for which there was no room
}

// ownGoroutines is how many goroutines of a node are not of its program: that which runs the bubble, and loop.
const ownGoroutines = 2

// epoch is when the clocks of all nodes start, and downtime how much later those of a node that has crashed.
const (
	epoch    = 946684800e9
	downtime = 30 * 24 * time.Hour
)

// forever is how far away a timer is that never fires: libraries have such ones in place of none, and the clock ends 292 years on.
const forever = 100 * 365 * 24 * time.Hour

// spinTime is how much time passes until the next step of a node whose goroutines wait in loops, by runtime.Gosched.
const spinTime = 10 * time.Millisecond

// idleTime is how far the clock of a node without timers goes on after a step in which its program has looked at it: what it compares
// times for, as a lease that is over, happens though nothing waits for it.
const idleTime = time.Second

// start makes a node that has not booted.
func start(b boot) *node {
	network(sockets{})
	operate(machines{})
	n := &node{cmd: make(chan func()), done: make(chan struct{}, 1), gone: make(chan struct{}), backlog: make([][]Message, b.nodes)}
	if c := b.command; c != nil {
		n.process = &process{args: slices.Clone(c.args), env: slices.Clone(c.env)}
	}
	n.ctl.ids = ownGoroutines
	n.ctl.seed = mix(b.seed ^ uint64(b.self)<<32 ^ uint64(b.times)<<48)
	go func() {
		simext.HostProgram(func() { run(func() { simext.HostProgram(n.loop) }) })
		close(n.gone)
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
			n.host.files.save(b.files)
		}
		n.host.choose = n.chooses
		go func() {
			err := program(n.host.ctx, n.host)
			n.host.returned = true
			n.host.ended = fmt.Sprint("returned ", err)
		}()
	}
}

// loop is the main goroutine of the bubble. The channel that it waits for is not of the bubble, so that time stands still.
func (n *node) loop() {
	n.bubble = enter()
	n.done <- struct{}{}
	for f := range n.cmd {
		if n.clock != 0 && !n.dying {
			jump(n.clock)
		}
		f()
		spin()
		synctest.Wait()
		looked := n.ctl.looked
		switch h := n.host; {
		case n.dying:
		case h.returned && !n.over:
			n.over = true
			if !h.halted {
				n.rest()
				n.look()
			}
			h.finish()
			kill()
			synctest.Wait()
		case !n.over:
			h.flush()
			n.look()
		}
		if n.now, n.next = time.Now().UnixNano(), next(); n.next-n.now >= int64(forever) {
			n.next = 0
		}
		if soon := n.now + int64(spinTime); n.ctl.spinning != 0 && (n.next == 0 || n.next > soon) {
			n.next = soon
		} else if n.next == 0 && looked && !n.over {
			n.next = n.now + int64(idleTime)
		}
		n.done <- struct{}{}
	}
}

// rest lets the goroutines that are held back go on until all wait, first come, first served.
func (n *node) rest() {
	if n.ctl.held > 0 {
		n.ctl.mode = modeFIFO
		spin()
		synctest.Wait()
	}
}

// look has the program show itself, unless a goroutine is held back. That may have to wait for a lock.
func (n *node) look() {
	if n.host.observe == nil || n.looking || n.ctl.held > 0 {
		return
	}
	n.ctl.mode, n.looking = modeFIFO, true
	go func() {
		n.fresh = n.host.observe()
		n.looking = false
	}()
	synctest.Wait()
}

// stale reports whether what the program showed last is of an earlier state. A program that has ended shows nothing later.
func (n *node) stale() bool { return !n.over && (n.looking || n.host.observe != nil && n.ctl.held > 0) }

// step has f called inside the bubble and everything run until it waits.
func (n *node) step(f func()) {
	if n.host != nil {
		clear(n.host.pending)
		n.host.effects = n.host.effects[:0]
	}
	n.fresh = nil
	n.ctl.number++
	n.ctl.looked = false
	stepping.now = n
	n.enter()
	begin(&n.ctl)
	simext.AwaitProgram(func() {
		n.cmd <- f
		<-n.done
	})
	n.leave()
	if n.aborted {
		panic(&sim.Finding{Kind: sim.Divergence, Message: "the goroutines of the node did not come to rest: a loop without end, or one that waits without " +
			"runtime.Gosched or a blocking operation, which is a limit (docs/goroutines.md, What is not covered)"})
	}
	end()
	stepping.now = nil
	if n.failed != nil {
		panic(n.failed)
	}
	n.effects = n.host.effects
}

// chooses calls choose for a goroutine of the program. A panic is that of the step.
func (n *node) chooses(what string, k int) int {
	quiet(1)
	defer quiet(-1)
	defer func() {
		if v := recover(); v != nil {
			n.failed = v
		}
	}()
	if n.failed != nil {
		return 0
	}
	return n.choose(what, k)
}

// started reports whether a goroutine that a goroutine has started since the node had had that many goes on.
func (n *node) started(by, since uint64) bool { return heir(n.bubble, by, since) }

// discard ends the node: nothing of it runs any more.
func (n *node) discard() {
	if n.aborted {
		return
	}
	n.dying = true
	n.ctl.mode = modeFIFO
	n.enter()
	begin(&n.ctl)
	n.cmd <- kill
	<-n.done
	end()
	n.leave()
	close(n.cmd)
	<-n.gone
}
