package bubble

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"log/slog"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/macemc/macemc/bubble/internal/filetree"
	"github.com/macemc/macemc/internal/simext"
	"github.com/macemc/macemc/sim"
)

// Program is the service of a node that runs an ordinary program. Its fields are for properties and for display, and must not be changed.
// Most methods are callbacks of the engines.
type Program struct {
	Seen   any           // value that the program shows, see [Host.Observe]; nil means none yet
	Ended  string        // how the program ended; an empty string means that it is running
	Clock  time.Duration // time on the node's own clock since the system began, without jumps
	Jumped time.Duration // sum of the jumps of its wall clock since it booted, see [sim.System.ClockJumps]

	seenInEarlierStep bool     // Seen is of an earlier step: Observe waits for a lock, or a goroutine is held back
	goroutines        *history // shown as the goroutines of the node
}

// history is the history of a node's inputs since its boot. The history is the state; a running node is only a cache of it.
type history struct {
	last      *input   // its before fields lead back to the boot; nil means that the node has not booted
	run       *running // shared by copies of the state; nil means that no node is running
	program   Main
	command   *command // nil means that the node is not a process
	pace      *pace    // nil means that the clock is independent of others
	hosts     Hosts
	data      string          // path of the data directory; empty if there is none
	disk      FileSystem      // of the data directory
	exposed   []reflect.Type  // types of the values of Host.Expose, see exposes
	strikable uint64          // set of faults that can strike after the last step
	outlined  bool            // show omits the state of the goroutines
	storage   *simext.Storage // of the data directory; nil if there is none
}

// Service returns a service that runs program. Each boot of the node calls program in a fresh bubble. A crash stops all its goroutines
// where they are.
func Service(program Main, options ...Option) sim.Service { return service(program, options) }

// main returns the function that the node runs from its boot on.
func (p *history) main() any {
	if p.command != nil {
		return p.command.main
	}
	return p.program
}

// Option is [Hosts], additional host names, [DataDir], the data directory of the node, or [FileSystem], its rules.
type Option interface{ set(p *history) }

func service(program Main, options []Option) *Program {
	p := &history{program: program, hosts: Hosts{}}
	for _, o := range options {
		o.set(p)
	}
	return &Program{goroutines: p}
}

// Rules are the state rules that a system with programs needs. [ShowBy] adds a decoder of its messages.
var Rules = []sim.StateRule{
	sim.EncodeBy(func(dst []byte, p *history) []byte {
		if p.last == nil {
			return append(dst, 0)
		}
		for _, h := range p.last.hash {
			for range 8 {
				dst = append(dst, byte(h))
				h >>= 8
			}
		}
		return dst
	}),
	sim.CopyBy(func(p *history) *history { c := *p; return &c }),
	sim.ShowBy((*history).show),
	sim.ShowBy(Message.String), // last, see ShowBy
}

// wake is the timer of a program. It stands for the earliest pending timer of its goroutines.
type wake struct{}

var errNotHooked = errors.New("its goroutines are driven by a changed copy of the Go runtime, which this program was built without; " +
	"use \"macemc test ./PKG\" in place of \"go test ./PKG\", or \"macemc search ./PKG\"")

// CanRun implements [simext.Conditional].
func (p *Program) CanRun() error {
	if !hooked {
		return errNotHooked
	}
	if c := p.goroutines.command; c != nil {
		return c.canRun()
	}
	return nil
}

// Carries implements [simext.Carrier].
func (p *Program) Carries() {}

// Outline implements [simext.Outliner]: describing the stacks of all goroutines is slow.
func (p *Program) Outline(on bool) { p.goroutines.outlined = on }

// Storage implements [simext.Storing].
func (p *Program) Storage() *simext.Storage { return p.goroutines.storage }

// Booted implements [simext.Storing].
func (p *Program) Booted() (files map[string][]byte, lost string, err error) {
	first := p.goroutines.last
	if first == nil || p.goroutines.data == "" {
		return nil, "", nil
	}
	for first.before != nil {
		first = first.before
	}
	files, err = filetree.Files(first.boot.files.Image)
	return files, first.boot.files.Lost, err
}

// Stale implements [simext.Showing]. It reports whether Seen is of an earlier step.
func (p *Program) Stale() bool { return p.seenInEarlierStep }

// Running implements [simext.Hosted].
func (p *Program) Running() (bubble uint64, lastLines []string) {
	stepping.Lock()
	defer stepping.Unlock()
	if h := p.goroutines; h.last != nil && h.run != nil && h.run.at == h.last {
		if n := h.run.n; !n.over {
			bubble = n.bubble
		}
		lastLines = slices.Clone(h.run.n.host.lines)
	}
	return bubble, lastLines
}

// Uncovered implements [simext.Limited].
func (p *Program) Uncovered(how sim.Interleave) string {
	switches := fmt.Sprintf("switches of goroutines elsewhere than at locks, channels, select and writes; schedules that were not drawn (%s)",
		how)
	if how == sim.FIFO {
		switches = "other schedules of goroutines than first come, first served, where requests overlap only while they wait (fifo)"
	} else {
		switches += "; goroutines that are delayed for more than one step of their node"
	}
	shared := "variables that nodes share"
	if p.goroutines != nil && p.goroutines.command != nil {
		shared = "variables of the standard library that processes share"
	}
	if p.goroutines != nil && p.goroutines.data != "" {
		shared += "; two writes to one file that a later one overtakes on the way to the disk; most parts of a torn write; " +
			"file systems other than " + p.goroutines.disk.String()
		for f := range sim.FaultCount {
			if text := machineFaults[f].uncovered; text != "" {
				shared += "; " + text
			}
		}
	}
	return switches + "; random numbers and choices of select that were not drawn; orders between connections of the same two nodes; " +
		"properties while a goroutine is held back, or a lock that Observe needs is held over a step; " + shared + "; " +
		"crashes between two instructions (docs/goroutines.md)"
}

// Labels of values that a program draws from a seed.
const (
	randomNumbers = "random numbers of the program"
	schedule      = "schedule of the goroutines"
)

// Sampled implements [simext.Limited]. Drawn seeds are counted separately.
func (p *Program) Sampled(how sim.Interleave) map[string]int {
	if how == sim.FIFO || how == sim.Rotate {
		return map[string]int{schedule: 1}
	}
	return nil
}

// Boot implements [sim.Service].
func (p *Program) Boot(env sim.Env) {
	b := boot{self: env.Self(), nodes: env.Nodes(), times: int(env.Clock().Tick().Count) - 1, hosts: p.goroutines.hosts,
		command: p.goroutines.command}
	if i, ok := env.(simext.Interleaver); ok {
		b.seed = uint64(i.Seed(randomNumbers, false))
	}
	if t := simext.Traced(env); t != nil && !ofChecker(p.goroutines.main()) {
		t.Runs(p.goroutines.main())
	}
	if t, ok := env.(simext.Timekeeper); ok {
		_, _, began := t.Time()
		b.offset = began - epoch
	}
	p.goroutines.pace = newPace(env)
	for _, key := range env.Disk().Keys("") {
		value, _ := env.Disk().Get(key)
		b.disk = append(b.disk, filetree.Record{Key: key, Value: value})
	}
	if b.data = p.goroutines.data; b.data != "" {
		var err error
		if b.files, err = filetree.Restore(b.disk, b.data, rules[p.goroutines.disk], env.Choose); err != nil {
			panic(err)
		}
		b.disk = []filetree.Record{{Key: filetree.ImageKey, Value: b.files.Image}}
		if b.files.Lost != "" {
			env.Log().Info(simext.Survived + "left by the crash: " + b.files.Lost)
		}
	}
	in := &input{kind: bootInput, boot: &b}
	if s := p.goroutines.storage; s != nil && s.StopsAtBoot {
		p.goroutines.last = in
		return
	}
	p.step(env, in)
}

// otherUnlocks states a limitation of deadlock detection.
const otherUnlocks = " (unless another goroutine is to unlock it, which the check cannot see: docs/goroutines.md, What is not covered)"

// Receive implements [sim.Service].
func (p *Program) Receive(env sim.Env, from sim.NodeID, msg any) {
	p.step(env, &input{kind: messageInput, peer: from, msg: msg.(Message)})
}

// Timer implements [sim.Service].
func (p *Program) Timer(env sim.Env, _ any) { p.step(env, &input{kind: wakeInput}) }

// PeerError implements [sim.PeerErrorHandler].
func (p *Program) PeerError(env sim.Env, peer sim.NodeID, err error) {
	p.step(env, &input{kind: errorInput, peer: peer, err: err})
}

// PeerReady implements [sim.PeerReadyHandler].
func (p *Program) PeerReady(env sim.Env, peer sim.NodeID) {
	p.step(env, &input{kind: readyInput, peer: peer})
}

// step executes a step and applies its effects to the environment.
func (p *Program) step(env sim.Env, in *input) {
	if i, ok := env.(simext.Interleaver); ok {
		if in.kind != bootInput {
			in.reseed = i.Seed(randomNumbers, true)
		}
		if in.how = i.Interleave(); in.how == sim.Rotate {
			in.how = p.interleaving(env, in)
		}
		if in.how != sim.FIFO {
			in.pick = i.Seed(schedule, false)
		}
	}
	p.setClock(env, in)
	take := func(peer sim.NodeID, m Message) bool { return env.Stream(peer).Send(m) == nil }
	err := p.goroutines.extend(in, func(n *node) {
		if in.kind == readyInput {
			in.flushed = n.flush(in.peer, take)
		}
		n.choose = env
		trace := simext.Traced(env)
		if trace != nil {
			n.ctl.places = new(places)
			defer func(p *places) { trace.Ran(p.last()) }(n.ctl.places)
		}
		n.perform(in, p.goroutines.program)
		n.ctl.places, in.chosen = nil, n.chosen
		for i := range n.effects {
			e := &n.effects[i]
			if trace != nil {
				place, _ := nearest(stackOf(e.stack))
				trace.At(place)
			}
			if e.kind == streamEffect {
				n.stream(e, take)
			} else {
				e.applyTo(env)
			}
		}
		if log := env.Log(); n.ctl.heldBack > 0 && log.Enabled(context.Background(), slog.LevelInfo) {
			for _, text := range pauses(n.bubble) {
				log.Info(text)
			}
		}
		n.checkTimely(p.goroutines.pace)
		p.copyShown(n)
		in.seen = p.Seen
		if text := n.deadlock(); text != "" {
			panic(&sim.Finding{Kind: sim.Panic,
				Message: "deadlock: " + text + otherUnlocks + "\n" + strings.ReplaceAll(n.goroutines(), simext.BetweenGoroutines, "\n")})
		}
		if n.next == 0 {
			env.StopTimer(wake{})
		} else {
			env.SetTimer(wake{}, p.left(env, n))
		}
	})
	if err != nil {
		panic(err)
	}
}

// rotated are the interleavings of [sim.Rotate].
var rotated = [...]sim.Interleave{sim.FIFO, sim.Random, 3}

// interleaving returns the interleaving that the node has used since its boot or its last new seed. It chooses one for a node that boots.
func (p *Program) interleaving(env sim.Env, in *input) sim.Interleave {
	if in.reseed != 0 {
		return rotated[in.reseed%len(rotated)]
	}
	if last := p.goroutines.last; last != nil {
		return last.how
	}
	return rotated[env.Choose(fmt.Sprintf("interleaving of the node %v", rotated), len(rotated))]
}

// applyTo applies an effect to the environment. Stream messages are handled by step.
func (e *effect) applyTo(env sim.Env) {
	switch e.kind {
	case sendEffect:
		env.Send(e.peer, e.msg)
	case putEffect:
		env.Disk().Put(e.text, e.value)
	case deleteEffect:
		env.Disk().Delete(e.text)
	case syncEffect:
		env.Disk().Sync()
	case announceEffect:
		env.Announce(e.event)
	case assertEffect:
		env.Assert(false, "%s", e.text)
	case logEffect:
		env.Log().Info(e.text)
	}
}

// copyShown copies the state that the program shows from the node.
func (p *Program) copyShown(n *node) {
	p.Ended, p.Clock, p.seenInEarlierStep = n.host.ended, time.Duration(n.now-epoch), n.stale()
	p.Jumped, p.goroutines.strikable = time.Duration(n.ctl.wall.ahead), p.strikable(n.host)
	if k := len(p.goroutines.exposed); k < len(n.host.exposed) {
		p.goroutines.exposed = slices.Clip(p.goroutines.exposed)
		for _, v := range n.host.exposed[k:] {
			p.goroutines.exposed = append(p.goroutines.exposed, reflect.TypeOf(v))
		}
	}
	if n.fresh == nil || reflect.DeepEqual(p.Seen, n.fresh) { // steps share equal values
		return
	}
	seen, err := stepping.seen.Of(n.fresh)
	if err != nil {
		panic(fmt.Sprintf("what Observe returns cannot be part of a state: %v", err))
	}
	p.Seen = seen.Copy(n.fresh)
}

// exposes reports whether the program is running and has exposed a value assignable to t.
func (p *Program) exposes(t reflect.Type) bool {
	return p.Ended == "" && slices.ContainsFunc(p.goroutines.exposed, func(e reflect.Type) bool { return e.AssignableTo(t) })
}

// Seen yields the nodes that are up and expose a T through [Host.Observe], with the observed value, in order of node.
func Seen[T any](v *sim.View) iter.Seq2[sim.NodeID, T] {
	return func(yield func(sim.NodeID, T) bool) {
		for id := range sim.NodeID(v.Len()) {
			if p, ok := v.Service(id).(*Program); ok {
				if seen, ok := p.Seen.(T); ok && !yield(id, seen) {
					return
				}
			}
		}
	}
}

// SeenAt returns the value that a node exposes through [Host.Observe]. ok is false if the node is down or does not expose a T.
func SeenAt[T any](v *sim.View, id sim.NodeID) (seen T, ok bool) {
	if p, up := v.Service(id).(*Program); up {
		seen, ok = p.Seen.(T)
	}
	return seen, ok
}
