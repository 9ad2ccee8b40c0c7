package bubble

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"time"

	"github.com/macemc/macemc/bubble/internal/filesystem"
	"github.com/macemc/macemc/bubble/internal/userframes"
	"github.com/macemc/macemc/internal/simext"
	"github.com/macemc/macemc/sim"
)

// Host is the machine of a node: its network, its disk, and the values that it shows to the checker. Only goroutines of that node may use
// it.
type Host struct {
	self  sim.NodeID
	nodes int
	boot  int // number of earlier boots
	hosts Hosts
	ctx   context.Context    // of the main function
	stop  context.CancelFunc // cancels it, as signals do

	effects   []effect            // of the step in progress
	packets   map[int]*packetConn // by port
	listeners map[int]*listener   // by port
	conns     []*conn             // established, not closed by the program, and not broken
	halfOpen  []connEnd           // that broke, and not by the other end
	dials     []*dial             // not yet answered
	lastPort  int
	lastConn  int
	pending   []int  // connection messages of this step, by node
	full      []bool // by node: messages to it wait for room, so writes block
	disk      disk
	files     fileSystems
	values    map[string]*any // per-node storage of standard library packages

	choose  func(what string, n int) int
	observe func() any // nil if Observe was not called
	exposed []any      // see Expose
	ending

	command *command    // nil means that the node is not a process
	halted  bool        // the process has ended
	printed [2][]byte   // incomplete lines of stdout and stderr
	signals []signalled // each one that takes a signal receives it
}

// ending describes how a program ends.
type ending struct {
	ended    string   // how the program ended; empty while it runs
	exiting  string   // argument of the first call of exit
	returned bool     // its main function has returned, or called exit
	final    any      // value that Observe returned when the process exited; nil means none
	lines    []string // the last lines that it has logged or printed, at most lastLines
}

// effect is an action of a node on its environment.
type effect struct {
	kind  effectKind
	by    uint64 // the goroutine
	stack uint32 // its stack, see stackOf
	peer  sim.NodeID
	msg   Message
	text  string // log line, key, or message of an assertion
	value []byte
	event any

	refused bool // the stream did not accept the message
}

type effectKind uint8

const (
	sendEffect effectKind = iota
	streamEffect
	putEffect
	deleteEffect
	syncEffect
	announceEffect
	assertEffect
	logEffect
)

// verb describes an effect without its content.
func (k effectKind) verb() string {
	return [...]string{"sends", "sends", "writes to the disk", "deletes from the disk", "syncs the disk", "announces", "asserts", "logs"}[k]
}

func (e effect) String() string {
	switch e.kind {
	case sendEffect, streamEffect:
		return fmt.Sprintf("sends to node %d: %v", e.peer, e.msg)
	case putEffect:
		return fmt.Sprintf("writes %q to the disk: %q", e.text, e.value)
	case deleteEffect:
		return fmt.Sprintf("deletes %q from the disk", e.text)
	case syncEffect:
		return "syncs the disk"
	case announceEffect:
		return fmt.Sprintf("announces %+v", e.event)
	case assertEffect:
		return "asserts: " + e.text
	}
	return "logs " + e.text
}

func newHost(b boot) *Host {
	h := &Host{self: b.self, nodes: b.nodes, boot: b.times, hosts: b.hosts, command: b.command, packets: map[int]*packetConn{},
		listeners: map[int]*listener{}, pending: make([]int, b.nodes), full: make([]bool, b.nodes)}
	h.disk.h, h.disk.content = h, map[string][]byte{}
	for _, e := range b.disk {
		h.disk.content[e.Key] = slices.Clone(e.Value)
	}
	if b.files != nil {
		h.files.data = filesystem.New(fileHost{h}, b.data, b.files)
	}
	h.ctx, h.stop = context.WithCancel(context.Background())
	return h
}

// Self returns the node.
func (h *Host) Self() sim.NodeID { return h.self }

// Nodes returns the number of nodes of the system.
func (h *Host) Nodes() int { return h.nodes }

// Disk returns the disk of the node, whose content alone survives a crash. Values are copied. Disk panics if the node has a [DataDir],
// which replaces it.
func (h *Host) Disk() sim.Disk {
	if h.files.data != nil {
		panic("Host.Disk of a node with a data directory (bubble.DataDir)")
	}
	return &h.disk
}

// Observe registers a function that is called after each step that ends with all goroutines waiting. Properties read its result, see
// [Seen]. The result is copied and must be a valid part of a state. f may lock, but must not change anything. It is not called while the
// schedule holds a goroutine back until the next step. While f is not called or waits for a lock, properties that read the node do not
// judge the state: Always counts as holding, others as not holding. [Host.Assert] and monitors judge at any moment. If f waits for one lock
// while it holds another, the program waits for the latter, so f should need at most one.
func (h *Host) Observe(f func() any) { h.observe = f }

// Expose makes v the argument of actions of [Call] with its type.
func (h *Host) Expose(v any) { h.exposed = append(h.exposed, v) }

// Choose returns a number from 0 to n-1 that the search chooses. what names the choice in traces.
func (h *Host) Choose(what string, n int) int { return h.choose(what, n) }

// Announce passes an event to the monitors of the system.
func (h *Host) Announce(event any) { h.effect(effect{kind: announceEffect, event: event}) }

// Assert reports a safety violation if ok is false. The program continues until the end of the step.
func (h *Host) Assert(ok bool, format string, args ...any) {
	if !ok {
		h.effect(effect{kind: assertEffect, text: fmt.Sprintf(format, args...)})
	}
}

// Log returns a logger that writes to traces.
func (h *Host) Log() *slog.Logger { return slog.New(&logHandler{h: h}) }

// effect records an effect of the calling goroutine.
func (h *Host) effect(e effect) { h.record(e, stackNumber()) }

// record records an effect of the calling goroutine with the number of its stack. A process that has ended has no more effects.
func (h *Host) record(e effect, stack uint32) {
	if h.halted {
		return
	}
	acts()
	if e.kind != logEffect {
		h.files.gather() // pages change before what follows
	}
	if e.kind == logEffect || e.kind == assertEffect {
		e.text = steady(e.text)
	}
	if e.kind == logEffect {
		h.lines = append(h.lines[max(len(h.lines)-lastLines+1, 0):], e.text)
	}
	e.by, e.stack = id(), stack
	h.effects = append(h.effects, e)
}

// unsimulated ends the step, because the program does what is not simulated: the system cannot be checked. The calling goroutine stops.
func (h *Host) unsimulated(what string) {
	if n := stepping.now; n != nil && n.failed == nil { // the step may have been aborted
		own := stackOf(stackNumber())
		n.failed = &simext.NotSimulated{Node: h.self, What: what + userframes.Text(own[:min(len(own), 2)])}
	}
	select {}
}

// lastLines is the number of lines that a report shows of a program that has ended.
const lastLines = 3

// frame sends a message of a connection. Consecutive writes to a connection within one step are merged into one message.
func (h *Host) frame(to sim.NodeID, m Message) {
	if h.halted {
		return
	}
	if n := len(h.effects); n > 0 && m.Kind == Data {
		if l := &h.effects[n-1]; l.kind == streamEffect && l.peer == to && l.msg.Kind == Data && l.msg.Conn == m.Conn && l.msg.Back == m.Back &&
			len(l.msg.Data)+len(m.Data) <= maxFrame {
			l.msg.Data += m.Data
			return
		}
	}
	h.pending[to]++
	h.effect(effect{kind: streamEffect, peer: to, msg: m})
}

const (
	maxFrame = 64 << 10
	// stepFrames is the maximum number of connection messages from one step to one node. Further writes block.
	stepFrames = 1024
)

// room reports whether data for a node can be sent without blocking.
func (h *Host) room(to sim.NodeID) bool { return !h.full[to] && h.pending[to] < stepFrames }

// wakeWriters wakes goroutines that wait to write to a node.
func (h *Host) wakeWriters(to sim.NodeID) {
	for _, c := range slices.Clone(h.conns) {
		if c.peer == to {
			c.out.Wake()
		}
	}
}

func (h *Host) find(id ConnID, dialled bool) *conn {
	for _, c := range h.conns {
		if c.id == id && c.dialled == dialled {
			return c
		}
	}
	return nil
}

func (h *Host) forget(c *conn) {
	if i := slices.Index(h.conns, c); i >= 0 {
		h.conns = slices.Delete(h.conns, i, i+1)
	}
}

// finish closes the connections and sockets of a program that has ended.
func (h *Host) finish() {
	for _, c := range slices.Clone(h.conns) {
		c.Close()
	}
	clear(h.listeners)
	clear(h.packets)
}

// logHandler writes log records into the trace.
type logHandler struct {
	h      *Host
	prefix string // group
	attrs  string
}

func (l *logHandler) Enabled(context.Context, slog.Level) bool { return true }

func (l *logHandler) Handle(_ context.Context, r slog.Record) error {
	var text strings.Builder
	text.WriteString(r.Message + l.attrs)
	r.Attrs(func(a slog.Attr) bool {
		fmt.Fprintf(&text, " %s%s=%v", l.prefix, a.Key, a.Value)
		return true
	})
	l.h.effect(effect{kind: logEffect, text: text.String()})
	return nil
}

func (l *logHandler) WithAttrs(attrs []slog.Attr) slog.Handler {
	c := *l
	for _, a := range attrs {
		c.attrs += fmt.Sprintf(" %s%s=%v", c.prefix, a.Key, a.Value)
	}
	return &c
}

func (l *logHandler) WithGroup(name string) slog.Handler {
	c := *l
	c.prefix += name + "."
	return &c
}

// advance sleeps until the clock of the current node reads to.
func advance(to int64) {
	if d := to - stepping.now.ctl.reading(); d > 0 {
		time.Sleep(time.Duration(d))
	}
}
