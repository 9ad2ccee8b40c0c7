package netsim

import (
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/macemc/macemc/internal/encoding"
	"github.com/macemc/macemc/internal/eventkind"
	"github.com/macemc/macemc/internal/netmodel"
	"github.com/macemc/macemc/sim"
)

// pair is a model and the oracle, with the same operations applied to both.
type pair struct {
	*bench
	oracle *oracle
	lists  [][]netmodel.Event // each node's events at the last comparison
}

func drawPair(t *rapid.T) *pair {
	nodes := rapid.IntRange(1, 4).Draw(t, "nodes")
	fault := rapid.IntRange(0, 3)
	n := Both{
		Datagrams:  Datagrams{Loss: fault.Draw(t, "loss"), Dup: fault.Draw(t, "dup")},
		Streams:    Streams{Buffer: rapid.IntRange(1, 3).Draw(t, "buffer"), Errors: fault.Draw(t, "errors")},
		Partitions: fault.Draw(t, "partitions"),
	}
	return &pair{bench: newBench(n, nodes), oracle: newOracle(nodes, n.Streams.Buffer, n.Limits()),
		lists: make([][]netmodel.Event, nodes)}
}

// step applies one operation to both.
func (p *pair) step(t *rapid.T) {
	node := rapid.IntRange(0, p.nodes-1)
	text := rapid.SampledFrom([]string{"a", "b", "c"})
	a, b := node.Draw(t, "node"), node.Draw(t, "peer")
	from, to := sim.NodeID(a), sim.NodeID(b)
	kinds := []string{"event", "event", "event", "stream", "stream", "datagram", "close", "crash", "halt", "restart"}
	switch kind := rapid.SampledFrom(kinds).Draw(t, "kind"); {
	case kind == "restart":
		if rapid.IntRange(0, 9).Draw(t, "really") == 0 {
			p.restart()
			p.oracle = newOracle(p.nodes, p.buffer, p.limits)
		}
	case kind == "event" || !p.oracle.up[a]:
		p.event(t, a)
	case kind == "stream":
		s := text.Draw(t, "text")
		if p.stream(from, to, s) {
			p.oracle.send(a, b, s, p.lastID)
		} else {
			p.oracle.waiting[[2]int{a, b}] = true
		}
	case kind == "datagram":
		s := text.Draw(t, "text")
		p.datagram(from, to, s)
		p.oracle.datagram(a, b, s, p.lastID)
	case kind == "close":
		p.CloseStream(from, to)
		p.oracle.close(a, b, netmodel.DroppedBreak)
	case kind == "crash":
		p.crash(from)
		p.oracle.crash(a)
	case kind == "halt": // the world would prevent its boot; the network does not
		p.halt(from)
		p.oracle.halt(a)
	}
}

// event executes one of the events; a node that is down may boot instead.
func (p *pair) event(t *rapid.T, node int) {
	events := p.AppendInjections(p.enabled())
	if i := rapid.IntRange(-1, len(events)-1).Draw(t, "event"); i >= 0 {
		p.do(t, p.describe(events[i]))
		p.oracle.events()[i].do()
	} else if !p.oracle.up[node] {
		p.boot(sim.NodeID(node))
		p.oracle.up[node] = true
	}
}

// compare compares all observable parts of the model.
func (p *pair) compare(t *rapid.T) {
	if err := p.legal(); err != nil {
		t.Fatal(err)
	}
	events := p.oracle.events()
	var want []string
	for _, ev := range events {
		want = append(want, ev.text)
	}
	if got := p.describeAll(); !slices.Equal(got, want) && len(got)+len(want) > 0 {
		t.Fatalf("enabled:\n got %q\nwant %q", got, want)
	}
	inFlight := p.oracle.inFlight()
	if got := slices.Collect(p.InFlight); !slices.Equal(got, inFlight) {
		t.Fatalf("in flight:\n got %v\nwant %v", got, inFlight)
	}
	if !slices.Equal(p.host.fates, p.oracle.fates) {
		t.Fatalf("fates:\n got %v\nwant %v", p.host.fates, p.oracle.fates)
	}
	quiet := true
	for _, ev := range p.enabled() {
		quiet = quiet && ev.Kind != eventkind.Deliver && ev.Kind != eventkind.DeliverError
	}
	if p.Quiet() != quiet {
		t.Fatalf("quiet is %v", !quiet)
	}
	for a := range p.nodes {
		for b := range p.nodes {
			if got, want := p.Room(sim.NodeID(a), sim.NodeID(b)), p.buffer-p.oracle.queued(a, b); got != want {
				t.Fatalf("room from %d to %d is %d, want %d", a, b, got, want)
			}
		}
	}
}

// compareDirty checks that no node's events have changed without a call of Dirty.
func (p *pair) compareDirty(t *rapid.T) {
	for i := range p.lists {
		now := p.AppendEvents(sim.NodeID(i), nil)
		if !p.host.dirty[i] && !slices.Equal(now, p.lists[i]) {
			t.Fatalf("the events of node %d have changed and it is not dirty: %v, before %v", i, now, p.lists[i])
		}
		p.lists[i], p.host.dirty[i] = now, false
	}
}

func TestAgainstOracle(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := drawPair(t)
		t.Repeat(map[string]func(*rapid.T){
			"step": p.step,
			"print": func(t *rapid.T) {
				if got, want := p.Fingerprint(), afresh(p.model); got != want {
					t.Fatalf("fingerprint %x, computed afresh %x", got, want)
				}
			},
			"": func(t *rapid.T) {
				p.compare(t)
				p.compareDirty(t)
			},
		})
	})
}

// afresh computes the fingerprint without caches.
func afresh(m *model) encoding.Fingerprint {
	c := *m
	c.ends = slices.Clone(m.ends)
	c.prints = fingerprintCache{}
	c.prints.init(c.nodes)
	for i := range c.ends {
		c.prints.staleEnds = append(c.prints.staleEnds, int32(i))
	}
	for i := range c.bags {
		c.prints.bag(sim.NodeID(i))
	}
	return c.Fingerprint()
}

// Fingerprints are equal exactly if the contents are. The systems are small, so that the same content is reached in
// many ways.
func TestFingerprintIsContent(t *testing.T) {
	networks := []sim.Network{
		Datagrams{Loss: 1, Dup: 1, Partitions: 1},
		Streams{Buffer: 2, Errors: 1, Partitions: 1},
	}
	for _, n := range networks {
		byContent := map[string]encoding.Fingerprint{}
		byPrint := map[encoding.Fingerprint]string{}
		again := 0
		rapid.Check(t, func(t *rapid.T) {
			b := newBench(n, 2)
			for range rapid.IntRange(0, 12).Draw(t, "steps") {
				randomOperation(t, b)
				if rapid.Bool().Draw(t, "look") {
					b.Fingerprint()
				}
			}
			up := fmt.Sprint(b.host.up) // the world has a separate fingerprint of it
			content := b.content()[len(up):]
			print := b.Fingerprint()
			if old, ok := byContent[content]; ok {
				again++
				if old != print {
					t.Fatalf("%s has fingerprints %x and %x", content, old, print)
				}
			}
			if old, ok := byPrint[print]; ok && old != content {
				t.Fatalf("%x is the fingerprint of\n%s and\n%s", print, old, content)
			}
			byContent[content], byPrint[print] = print, content
		})
		t.Logf("%T: %d contents, %d reached again", n, len(byContent), again)
		if again == 0 {
			t.Errorf("%T: no content was reached twice", n)
		}
	}
}

func randomOperation(t *rapid.T, b *bench) {
	node := rapid.IntRange(0, b.nodes-1)
	from, to := sim.NodeID(node.Draw(t, "node")), sim.NodeID(node.Draw(t, "peer"))
	events := b.AppendInjections(b.enabled())
	pick := rapid.IntRange(-4, len(events)-1).Draw(t, "what")
	switch {
	case pick >= 0:
		b.do(t, b.describe(events[pick]))
	case !b.host.up[from]:
		b.boot(from)
	case pick == -4:
		b.crash(from)
	case b.streams:
		b.stream(from, to, rapid.SampledFrom([]string{"a", "b"}).Draw(t, "text"))
	default:
		b.datagram(from, to, rapid.SampledFrom([]string{"a", "b"}).Draw(t, "text"))
	}
}

// Fingerprints ignore the order in which datagrams were sent. They depend on the order of messages in a stream, and on
// the number, senders and transport of messages.
func TestFingerprintOfOrder(t *testing.T) {
	after := func(do func(*bench)) encoding.Fingerprint {
		b := newBench(Both{Partitions: 1}, 3)
		do(b)
		return b.Fingerprint()
	}
	datagrams := func(texts ...string) encoding.Fingerprint {
		return after(func(b *bench) {
			for _, s := range texts {
				b.datagram(0, 1, s)
			}
		})
	}
	streams := func(texts ...string) encoding.Fingerprint {
		return after(func(b *bench) {
			for _, s := range texts {
				b.stream(0, 1, s)
			}
		})
	}
	if datagrams("a", "b", "a") != datagrams("b", "a", "a") {
		t.Error("the order of datagrams makes a difference")
	}
	different := map[encoding.Fingerprint]string{}
	for _, c := range []struct {
		name  string
		print encoding.Fingerprint
	}{
		{"nothing", after(func(*bench) {})},
		{"a", datagrams("a")},
		{"a, a", datagrams("a", "a")},
		{"a, b", datagrams("a", "b")},
		{"a from 2", after(func(b *bench) { b.datagram(2, 1, "a") })},
		{"a to 2", after(func(b *bench) { b.datagram(0, 2, "a") })},
		{"stream a", streams("a")},
		{"stream a, b", streams("a", "b")},
		{"stream b, a", streams("b", "a")},
		{"stream from 1", after(func(b *bench) { b.stream(1, 0, "a") })},
		{"refused", after(func(b *bench) { b.RefuseStream(0, 1) })},
		{"cut of 0", after(func(b *bench) { b.do(t, "partition -1>0") })},
		{"cut of 1", after(func(b *bench) { b.do(t, "partition -1>1") })},
		{"cut of 0, 1", after(func(b *bench) { b.do(t, "partition 1>0") })},
		{"cut of 0, 2", after(func(b *bench) { b.do(t, "partition 2>0") })},
		{"healed", after(func(b *bench) { b.do(t, "partition 2>0"); b.do(t, "heal 2>0") })},
	} {
		if other, ok := different[c.print]; ok {
			t.Errorf("%q and %q have the same fingerprint", c.name, other)
		}
		different[c.print] = c.name
	}
}
