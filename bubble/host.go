package bubble

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"time"

	"github.com/macemc/macemc/sim"
)

// Host is the machine that the program of a node runs on: its network, its disk, and what it shows of itself. It is for
// the goroutines of that node only.
type Host struct {
	self  sim.NodeID
	nodes int
	boot  int // how often the node had booted before
	hosts Hosts
	ctx   context.Context
	stop  context.CancelFunc

	effects   []effect // of the step in progress
	packets   map[int]*packetConn
	listeners map[int]*listener
	conns     []*conn
	dials     []*dial
	lastPort  int
	lastConn  int
	pending   []int // by node: frames of this step
	full      []bool
	disk      disk
	files     *files          // nil means that the node has no data directory
	values    map[string]*any // that packages of the standard library keep for the node

	choose   func(what string, n int) int
	observe  func() any
	exposed  []any
	ended    string
	returned bool

	command *command  // nil means that the node is no process
	halted  bool      // the process has ended
	printed [2][]byte // to stdout and stderr, of lines that are not complete
	signals []signalled
}

// effect is what a node asks of the world.
type effect struct {
	kind  effectKind
	by    uint64 // the goroutine
	stack uint32 // of that, see stackOf
	peer  sim.NodeID
	msg   Message
	text  string // of the log, a key, an assertion
	value []byte
	event any
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

// act names what an effect does, without its content.
func (k effectKind) act() string {
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
	h := &Host{self: b.self, nodes: b.nodes, boot: b.times, hosts: b.hosts, command: b.command, packets: map[int]*packetConn{}, listeners: map[int]*listener{},
		pending: make([]int, b.nodes), full: make([]bool, b.nodes)}
	h.disk.h, h.disk.content = h, map[string][]byte{}
	for _, e := range b.disk {
		h.disk.content[e.key] = slices.Clone(e.value)
	}
	if b.files != nil {
		h.files = newFiles(h, b.data, b.files)
	}
	h.ctx, h.stop = context.WithCancel(context.Background())
	return h
}

// Self is the node.
func (h *Host) Self() sim.NodeID { return h.self }

// Nodes is the number of nodes of the system.
func (h *Host) Nodes() int { return h.nodes }

// Boots is how often the node had booted before: 0 at the first time.
func (h *Host) Boots() int { return h.boot }

// Disk is all that survives a crash of the node. Values are copied. It panics if the node has a [DataDir], which takes its place.
func (h *Host) Disk() sim.Disk {
	if h.files != nil {
		panic("Host.Disk of a node with a data directory (bubble.DataDir)")
	}
	return &h.disk
}

// Observe has f called after each step at whose end all goroutines wait. Properties see what it returned, see [Seen]; it is copied,
// and must be something that a state can hold. f is not called while the schedule holds a goroutine back until the next step: until then
// the state is not judged, as below. [Host.Assert] and monitors judge at any moment. f may lock. While a lock that it needs is not free, the state is not judged by
// properties that read the node: Always counts as holding, others as not holding. While f has another lock then, the program waits for that:
// let it need one. f must not change anything.
func (h *Host) Observe(f func() any) { h.observe = f }

// Expose makes v what actions of [Call] with its type are called on.
func (h *Host) Expose(v any) { h.exposed = append(h.exposed, v) }

// Choose returns a number from 0 to n-1 that the search chooses. what names the choice in traces.
func (h *Host) Choose(what string, n int) int { return h.choose(what, n) }

// Announce tells the monitors of the system of an event.
func (h *Host) Announce(event any) { h.effect(effect{kind: announceEffect, event: event}) }

// Assert reports a safety violation when ok is false. The program goes on until the end of the step.
func (h *Host) Assert(ok bool, format string, args ...any) {
	if !ok {
		h.effect(effect{kind: assertEffect, text: fmt.Sprintf(format, args...)})
	}
}

// Log is a logger for people: its lines are part of traces.
func (h *Host) Log() *slog.Logger { return slog.New(&logHandler{h: h}) }

func (h *Host) effect(e effect) {
	if h.halted {
		return
	}
	e.by, e.stack = id(), stackNumber()
	h.effects = append(h.effects, e)
}

// frame sends a message of a connection. Bytes that one step writes to a connection one after another are one message.
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
	// stepFrames is how many messages of connections one step can send to one node before writers wait.
	stepFrames = 1024
)

// room reports whether what is written to a node goes to the network at once.
func (h *Host) room(to sim.NodeID) bool { return !h.full[to] && h.pending[to] < stepFrames }

// roomy wakes those that wait to write to a node.
func (h *Host) roomy(to sim.NodeID) {
	for _, c := range slices.Clone(h.conns) {
		if c.peer == to {
			c.out.wake()
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

// finish is what the end of the program does: the operating system closes what is open.
func (h *Host) finish() {
	for _, c := range slices.Clone(h.conns) {
		c.Close()
	}
	clear(h.listeners)
	clear(h.packets)
}

// logHandler writes the lines of a logger into the trace.
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

// advance lets time pass.
func advance(to int64) {
	if d := to - time.Now().UnixNano(); d > 0 {
		time.Sleep(time.Duration(d))
	}
}
