package kernel

import (
	"context"
	"fmt"
	"log/slog"
	"math"
	"runtime"
	"slices"
	"time"

	"github.com/macemc/macemc/choose"
	"github.com/macemc/macemc/internal/eventkind"
	"github.com/macemc/macemc/internal/kernel/callsite"
	"github.com/macemc/macemc/internal/kernel/declared"
	"github.com/macemc/macemc/internal/kernel/memdisk"
	"github.com/macemc/macemc/internal/kernel/stepinfo"
	"github.com/macemc/macemc/macetime"
	"github.com/macemc/macemc/sim"
)

// env is the Env of one node. It answers questions, and records effects in the machine's step.
type env struct {
	w          *Machine
	n          *Node
	Running    bool
	kind       eventkind.Kind // kind of the event of the handler that received it last
	slot       int32
	traced     bool
	showsCalls bool     // calls between services are recorded
	calls      []string // services being called, the innermost last; used only if showsCalls
	place      string   // of the program of a carrier, see At
	streams    []stream // to each node; nil if no stream was requested yet
	rand       random
	files      files
	ticker     ticker
	logger     *slog.Logger
}

func NewEnv(w *Machine, n *Node) *env {
	e := &env{w: w, n: n, logger: discard}
	e.rand, e.files, e.ticker = random{e}, files{e}, ticker{e}
	e.traced = w.Opts.Trace
	e.showsCalls = e.traced || w.Opts.Log != nil && w.Opts.Log.Enabled(context.Background(), slog.LevelDebug)
	switch {
	case e.traced:
		e.logger = slog.New(&traceHandler{env: e})
	case w.Opts.Log != nil:
		e.logger = w.Opts.Log
	}
	return e
}

// misuse is the panic value for calls that break the contract of Env.
type misuse string

func (e *env) use(what string) {
	if !e.Running {
		e.late(what)
	}
}

func (e *env) peer(what string, id sim.NodeID) {
	if e.w.Sys.Network == nil {
		e.w.end(misuse(what + ": the system has no network: set the field Network of sim.System, for example to netsim.Both{}, " +
			"or to netsim.Streams{} for connections or netsim.Datagrams{} for datagrams only"))
	}
	if uint(id) >= uint(len(e.w.Members)) {
		e.w.end(misuse(fmt.Sprintf("%s: there is no node %d", what, id)))
	}
}

// effect records an effect, to be filled in by the caller in place: copying an effect costs more than most handlers do.
func (e *env) effect(k stepinfo.EffectKind, peer sim.NodeID) *stepinfo.Effect {
	last := &e.w.last
	last.Effects = slices.Grow(last.Effects, 1)
	last.Effects = last.Effects[:len(last.Effects)+1]
	f := &last.Effects[len(last.Effects)-1]
	*f = stepinfo.Effect{Kind: k, Peer: peer}
	if e.traced {
		e.trace(f)
	}
	return f
}

func (e *env) Self() sim.NodeID { return e.n.ID }

func (e *env) Nodes() int { return len(e.w.Members) }

func (e *env) Send(to sim.NodeID, msg any) {
	e.use("Send")
	e.peer("Send", to)
	e.w.sendable(e.n.ID)
	m := e.w.message("message", msg)
	m.by(e.effect(stepinfo.SendEffect, to))
}

func (e *env) Stream(peer sim.NodeID) sim.Stream {
	e.use("Stream")
	e.peer("Stream", peer)
	if e.streams == nil {
		e.streams = make([]stream, len(e.w.Members))
		for i := range e.streams {
			e.streams[i] = stream{e, sim.NodeID(i)}
		}
	}
	return &e.streams[peer]
}

func (e *env) SetTimer(t any, after time.Duration) {
	e.use("SetTimer")
	f := e.effect(stepinfo.SetTimerEffect, -1)
	f.Value, f.After = t, int64(after)
}

func (e *env) StopTimer(t any) {
	e.use("StopTimer")
	e.effect(stepinfo.StopTimerEffect, -1).Value = t
}

func (e *env) Choose(what string, n int) int { return e.draw("Choose", what, n, false) }

func (e *env) ChooseFair(what string, n int) int { return e.draw("ChooseFair", what, n, true) }

func (e *env) draw(call, what string, n int, fair bool) int {
	switch {
	case n < 1:
		e.w.end(misuse(fmt.Sprintf("%s(%q, %d): n must be at least 1", call, what, n)))
	case n > choose.MaxArity:
		e.w.end(misuse(fmt.Sprintf("%s(%q, %d): n must be at most %d; draw large numbers in parts", call, what, n, choose.MaxArity)))
	}
	p := choose.Point{Kind: choose.Draw, Arity: n, Label: what}
	if fair {
		p.Weights = choose.Fairly()
	}
	return e.ask(p)
}

func (e *env) ChooseWeighted(what string, weights ...int) int {
	sum := 0
	for _, w := range weights {
		if w < 0 {
			e.w.end(misuse(fmt.Sprintf("ChooseWeighted(%q, %v): a weight is negative", what, weights)))
		}
		if sum += w; sum < 0 {
			e.w.end(misuse(fmt.Sprintf("ChooseWeighted(%q, %v): the sum of the weights is above %d", what, weights, math.MaxInt)))
		}
	}
	if sum == 0 {
		e.w.end(misuse(fmt.Sprintf("ChooseWeighted(%q, %v): weights are all zero", what, weights)))
	}
	return e.ask(choose.Point{Kind: choose.Draw, Arity: len(weights), Weights: weights, Label: what})
}

// diverged is the panic value that ends a step with too many choices.
type diverged struct{}

func (e *env) ask(p choose.Point) int {
	e.use("a choice")
	w := e.w
	if w.Choices++; w.Choices > w.Opts.MaxChoices {
		w.end(diverged{})
	}
	return w.ask(p)
}

func (e *env) Rand() sim.Rand { return &e.rand }

func (e *env) Clock() macetime.Clock { return &e.ticker }

func (e *env) Disk() sim.Disk { return &e.files }

func (e *env) Announce(event any) {
	e.use("Announce")
	body := e.w.message("announced event", event).body
	e.effect(stepinfo.AnnounceEffect, -1).Value = body
}

func (e *env) Assert(ok bool, format string, args ...any) {
	if !ok && e.w.Failed == nil && e.w.Sys.Asserts() {
		e.use("Assert")
		if e.traced && declared.Carries(e.n.Service) {
			e.w.last.Failed = e.place
		} else if e.traced {
			e.w.last.Failed = callsite.Of(e.n.Service)
		}
		e.w.Failed = &sim.Finding{Kind: sim.Safety, Property: sim.AssertionProperty, Node: e.n.ID, Message: fmt.Sprintf(format, args...)}
	}
}

func (e *env) Log() *slog.Logger { return e.logger }

// Seed implements [simext.Interleaver].
func (e *env) Seed(what string, earlier bool) int {
	p := choose.Point{Kind: choose.Seed, Arity: choose.MaxArity, Label: what}
	if earlier {
		p.Kind = choose.Reseed
	}
	return e.ask(p)
}

// Interleave implements [simext.Interleaver].
func (e *env) Interleave() sim.Interleave { return e.w.Sys.Interleave }

// stream is the sending side of one stream of a node.
type stream struct {
	e    *env
	peer sim.NodeID
}

// Push implements [host.Pusher].
func (e *env) Push(to sim.NodeID, msg any) error {
	if !e.w.acceptsAll {
		return e.Stream(to).Send(msg)
	}
	e.use("Push")
	e.peer("Push", to)
	m := e.w.message("message", msg)
	m.by(e.effect(stepinfo.StreamEffect, to))
	return nil
}

// room subtracts the messages of this step from the network's room. It is recorded as an observation, since the step
// depends on it.
func (s *stream) room() int {
	w := s.e.w
	room := w.Net.Room(s.e.n.ID, s.peer)
	for i := w.FirstEffect; i < len(w.last.Effects); i++ {
		switch f := &w.last.Effects[i]; {
		case f.Peer != s.peer:
		case f.Kind == stepinfo.StreamEffect:
			room--
		case f.Kind == stepinfo.CloseEffect:
			room = w.Net.Capacity()
		}
	}
	room = max(0, room)
	w.last.Observed = append(w.last.Observed, stepinfo.Observation{Peer: s.peer, Room: room})
	return room
}

func (s *stream) Send(msg any) error {
	s.e.use("Stream.Send")
	m := s.e.w.message("message", msg)
	if s.room() == 0 {
		m.by(s.e.effect(stepinfo.RefusedEffect, s.peer))
		return sim.ErrFull
	}
	m.by(s.e.effect(stepinfo.StreamEffect, s.peer))
	return nil
}

func (s *stream) Room() int {
	s.e.use("Stream.Room")
	return s.room()
}

func (s *stream) Close() {
	s.e.use("Stream.Close")
	s.e.effect(stepinfo.CloseEffect, s.peer)
}

// files is the Disk of a node.
type files struct{ e *env }

func (f *files) write(w memdisk.Write) {
	d := &f.e.n.Disk
	asked := f.e.effect(stepinfo.WriteEffect, -1)
	asked.Text, asked.Disk = w.Key, len(d.Pending)
	d.Pending = append(d.Pending, w)
}

func (f *files) Put(key string, value []byte) {
	f.e.use("Disk.Put")
	f.write(memdisk.Write{Entry: memdisk.Entry{Key: key, Value: slices.Clone(value)}})
}

func (f *files) Delete(key string) {
	f.e.use("Disk.Delete")
	f.write(memdisk.Write{Entry: memdisk.Entry{Key: key}, Gone: true})
}

func (f *files) Get(key string) ([]byte, bool) {
	f.e.use("Disk.Get")
	v, ok := f.e.n.Disk.Get(key)
	return slices.Clone(v), ok
}

func (f *files) Keys(prefix string) []string {
	f.e.use("Disk.Keys")
	return f.e.n.Disk.Keys(prefix)
}

func (f *files) Sync() {
	f.e.use("Disk.Sync")
	f.e.effect(stepinfo.SyncEffect, -1).Disk = len(f.e.n.Disk.Pending)
}

// random is the Rand of a node. Every draw is a choice.
type random struct{ e *env }

func (r *random) IntN(n int) int { return r.e.Choose("rand.IntN", n) }

func (r *random) Perm(n int) []int {
	p := make([]int, n)
	for i := range p {
		p[i] = i
	}
	r.Shuffle(n, func(i, j int) { p[i], p[j] = p[j], p[i] })
	return p
}

func (r *random) Shuffle(n int, swap func(i, j int)) {
	for i := n - 1; i > 0; i-- {
		if j := r.e.Choose("rand.Shuffle", i+1); j != i {
			swap(i, j)
		}
	}
}

func (r *random) Jitter(low, high time.Duration, steps int) time.Duration {
	k := r.e.Choose("rand.Jitter", steps)
	if steps == 1 {
		return low
	}
	return low + (high-low)*time.Duration(k)/time.Duration(steps-1)
}

func (r *random) Seeded(k int) sim.Generator {
	return choose.NewRandom(uint64(r.e.Choose("rand.Seeded", k)), 0)
}

// swallowedPanics is the number of the checker's panics that a handler may recover from before its goroutine is ended.
const swallowedPanics = 1000

// end ends the handler by a panic with why. It keeps the finding, so that a handler cannot hide it by recovering. A
// handler that recovers every time does not return: its goroutine is ended if it is contained.
func (w *Machine) end(why any) {
	if w.Ended == nil {
		w.Ended, w.swallowed = PanicFinding(-1, why), 0
	}
	if w.swallowed++; w.swallowed > swallowedPanics && w.contains() {
		runtime.Goexit()
	}
	panic(why)
}

// contains reports whether handlers run on goroutines of their own. Those of a bench do unless its caller is guarded:
// the table engine runs few handlers.
func (w *Machine) contains() bool { return w.ownGoroutines || w.OnBench && !w.Opts.Guarded }
