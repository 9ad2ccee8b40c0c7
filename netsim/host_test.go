package netsim

import (
	"cmp"
	"fmt"
	"hash/fnv"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/macemc/macemc/internal/encoding"
	"github.com/macemc/macemc/internal/eventkind"
	"github.com/macemc/macemc/internal/netmodel"
	"github.com/macemc/macemc/sim"
)

// fakeHost is a world that only records which nodes are up. Messages are strings.
type fakeHost struct {
	up    []bool
	dirty []bool
	fates []fate
}

type fate struct {
	id   sim.MessageID
	fate netmodel.Fate
}

func (h *fakeHost) Nodes() int                             { return len(h.up) }
func (h *fakeHost) Up(id sim.NodeID) bool                  { return h.up[id] }
func (h *fakeHost) Dirty(id sim.NodeID)                    { h.dirty[id] = true }
func (h *fakeHost) Fate(id sim.MessageID, f netmodel.Fate) { h.fates = append(h.fates, fate{id, f}) }
func (h *fakeHost) Duplicated(id sim.MessageID) sim.MessageID {
	h.Fate(id, netmodel.Duplicated)
	return id
}
func (h *fakeHost) DescribeMessage(m *netmodel.Message) string { return m.Body.(string) }

func (h *fakeHost) CompareMessages(a, b *netmodel.Message) int {
	return cmp.Compare(a.Body.(string), b.Body.(string))
}

func (h *fakeHost) HashMessage(m *netmodel.Message) encoding.Fingerprint {
	sum := fnv.New128a()
	sum.Write([]byte(m.Body.(string)))
	b := sum.Sum(nil)
	var f encoding.Fingerprint
	for i := range 8 {
		f.Hi, f.Lo = f.Hi<<8|uint64(b[i]), f.Lo<<8|uint64(b[i+8])
	}
	return f
}

// bench is a model on a fake host, with short names for the operations of a world.
type bench struct {
	*model
	host   *fakeHost
	lastID sim.MessageID
}

// newBench returns a model in which all nodes are up.
func newBench(n sim.Network, nodes int) *bench {
	h := &fakeHost{up: make([]bool, nodes), dirty: make([]bool, nodes)}
	b := &bench{model: n.(netmodel.Network).Start(h).(*model), host: h}
	b.restart()
	return b
}

// restart returns to the initial state.
func (b *bench) restart() {
	b.Reset()
	b.lastID, b.host.fates = 0, nil
	for i := range b.host.up {
		b.host.up[i] = true
		b.Booted(sim.NodeID(i))
	}
}

func (b *bench) message(text string) netmodel.Message {
	b.lastID++
	return netmodel.Message{Body: text, ID: b.lastID}
}

// stream sends on a stream like a world, and reports whether the message was accepted.
func (b *bench) stream(from, to sim.NodeID, text string) bool {
	if b.Room(from, to) <= 0 {
		b.RefuseStream(from, to)
		return false
	}
	b.SendStream(from, to, b.message(text))
	return true
}

func (b *bench) datagram(from, to sim.NodeID, text string) {
	b.SendDatagram(from, to, b.message(text))
}

func (b *bench) crash(node sim.NodeID) {
	b.host.up[node] = false
	b.Crashed(node)
}

func (b *bench) halt(node sim.NodeID) {
	b.host.up[node] = false
	b.Halted(node)
}

func (b *bench) boot(node sim.NodeID) {
	b.host.up[node] = true
	b.Booted(node)
}

// enabled returns all events in the order of a world.
func (b *bench) enabled() []netmodel.Event {
	var events []netmodel.Event
	for i := range b.host.up {
		events = b.AppendEvents(sim.NodeID(i), events)
	}
	return b.AppendGlobal(events)
}

// do executes the event that text describes, see describe.
func (b *bench) do(t rapid.TB, text string) netmodel.Delivery {
	t.Helper()
	for _, ev := range b.AppendInjections(b.enabled()) {
		if b.describe(ev) != text {
			continue
		}
		switch ev.Kind {
		case eventkind.Deliver, eventkind.DeliverError, eventkind.DeliverReady:
			return b.Take(ev)
		}
		b.Inject(ev)
		return netmodel.Delivery{}
	}
	t.Fatalf("%q is not enabled, only %q", text, b.describeAll())
	return netmodel.Delivery{}
}

// describe returns the event's kind, peer, node and key.
func (b *bench) describe(ev netmodel.Event) string {
	s := fmt.Sprintf("%v %d>%d", ev.Kind, ev.Peer, ev.Node)
	carrier, content := b.Key(ev)
	for _, part := range []string{carrier, content} {
		if part != "" {
			s += " " + part
		}
	}
	return s
}

func (b *bench) describeAll() []string {
	all := []string{}
	for _, ev := range b.AppendInjections(b.enabled()) {
		all = append(all, b.describe(ev))
	}
	return all
}

func (b *bench) expect(t testing.TB, events ...string) {
	t.Helper()
	if got := b.describeAll(); !slices.Equal(got, events) {
		t.Errorf("enabled:\n got %q\nwant %q", got, events)
	}
	if err := b.legal(); err != nil {
		t.Error(err)
	}
}

func (b *bench) expectFates(t testing.TB, fates ...fate) {
	t.Helper()
	if !slices.Equal(b.host.fates, fates) {
		t.Errorf("fates:\n got %v\nwant %v", b.host.fates, fates)
	}
	b.host.fates = nil
}

func (f fate) String() string { return fmt.Sprintf("%d %v", f.id, f.fate) }

// content returns the whole state as text.
func (b *bench) content() string {
	s := fmt.Sprint(b.host.up)
	for _, f := range b.Fields(nil) {
		s += fmt.Sprintf("; %s = %s", f.Path, f.Value)
	}
	return s
}
