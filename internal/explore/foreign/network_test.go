package foreign

import (
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/macemc/macemc/internal/encoding"
	"github.com/macemc/macemc/internal/encoding/diff"
	"github.com/macemc/macemc/internal/eventkind"
	"github.com/macemc/macemc/internal/netmodel"
	"github.com/macemc/macemc/internal/table/options"
	"github.com/macemc/macemc/sim"
	"github.com/macemc/macemc/systems"
	"github.com/macemc/macemc/systems/spec"
)

// bags is a network of datagrams without faults: a sorted slice for each receiver.
type bags struct{}

func (bags) Validate(int) error     { return nil }
func (bags) Limits() (l sim.Limits) { return l }
func (b bags) WithLimits(l sim.Limits) (sim.Network, error) {
	if l != b.Limits() {
		return nil, errors.New("bags have no faults")
	}
	return b, nil
}

func (bags) Start(host netmodel.Host) netmodel.Model {
	return &bagModel{host: host, to: make([][]netmodel.Datagram, host.Nodes())}
}

// bagModel is the state of bags. The embedded methods concern streams, and are not implemented.
type bagModel struct {
	netmodel.Parted
	host netmodel.Host
	to   [][]netmodel.Datagram
}

func (m *bagModel) Reset() { clear(m.to) }

func (m *bagModel) compare(a, b netmodel.Datagram) int {
	return cmp.Or(m.host.CompareMessages(&a.Msg, &b.Msg), cmp.Compare(a.From, b.From))
}

func (m *bagModel) AppendEvents(node sim.NodeID, buf []netmodel.Event) []netmodel.Event {
	for i, d := range m.Bag(node) {
		if m.host.Up(node) && !d.Behind {
			buf = append(buf, netmodel.Event{Kind: eventkind.Deliver, Node: node, Peer: d.From, Slot: int32(i), Msgs: 1})
		}
	}
	return buf
}

func (m *bagModel) AppendGlobal(buf []netmodel.Event) []netmodel.Event     { return buf }
func (m *bagModel) AppendInjections(buf []netmodel.Event) []netmodel.Event { return buf }

func (m *bagModel) Take(ev netmodel.Event) netmodel.Delivery {
	d := m.to[ev.Node][ev.Slot]
	m.to[ev.Node] = slices.Delete(slices.Clone(m.to[ev.Node]), int(ev.Slot), int(ev.Slot)+1)
	m.host.Dirty(ev.Node)
	return netmodel.Delivery{From: d.From, Msg: d.Msg}
}

func (m *bagModel) Messages(ev netmodel.Event, buf []sim.Envelope) []sim.Envelope {
	d := m.to[ev.Node][ev.Slot]
	return append(buf, sim.Envelope{From: d.From, To: ev.Node, Msg: d.Msg.Body, ID: d.Msg.ID})
}

func (m *bagModel) Key(ev netmodel.Event) (carrier, content string) {
	return "", m.host.DescribeMessage(&m.to[ev.Node][ev.Slot].Msg)
}

func (m *bagModel) SendDatagram(from, to sim.NodeID, msg netmodel.Message) {
	if m.host.Up(to) {
		m.Arrive(from, to, msg)
	}
}

func (m *bagModel) Arrive(from, to sim.NodeID, msg netmodel.Message) {
	d := netmodel.Datagram{From: from, Msg: msg}
	i, _ := slices.BinarySearchFunc(m.to[to], d, m.compare)
	m.to[to] = slices.Insert(slices.Clone(m.to[to]), i, d)
	m.host.Dirty(to)
}

func (m *bagModel) Crashed(node sim.NodeID) { m.host.Dirty(node) }
func (m *bagModel) Booted(node sim.NodeID)  { m.host.Dirty(node) }

func (m *bagModel) Halted(node sim.NodeID) {
	m.to[node] = nil
	m.host.Dirty(node)
}

func (m *bagModel) Quiet() bool {
	return !slices.ContainsFunc(m.to, func(bag []netmodel.Datagram) bool { return len(bag) > 0 })
}

func (m *bagModel) InFlight(yield func(sim.Envelope) bool) {
	for to, bag := range m.to {
		for _, d := range bag {
			if !yield(sim.Envelope{From: d.From, To: sim.NodeID(to), Msg: d.Msg.Body, ID: d.Msg.ID}) {
				return
			}
		}
	}
}

func (m *bagModel) Fingerprint() (sum encoding.Fingerprint) {
	for to := range m.to {
		var enc []byte
		for i := range m.to[to] {
			d := &m.to[to][i]
			f := m.host.HashMessage(&d.Msg)
			enc = binary.LittleEndian.AppendUint64(enc, uint64(d.From))
			enc = fmt.Append(enc, f)
		}
		sum = sum.Add(encoding.Hash(uint64(to), enc))
	}
	return sum
}

func (m *bagModel) Bag(to sim.NodeID) []netmodel.Datagram {
	bag := slices.Clone(m.to[to])
	for i := range bag {
		bag[i].Behind = i > 0 && m.compare(bag[i-1], bag[i]) == 0
	}
	return bag
}

func (m *bagModel) Fields(buf []diff.Field) []diff.Field { return buf }

func (m *bagModel) Kinds() (datagrams, streams bool)              { return true, false }
func (m *bagModel) SetBag(to sim.NodeID, bag []netmodel.Datagram) { m.to[to] = bag }
func (m *bagModel) Rest() (r netmodel.Rest)                       { return r }
func (m *bagModel) SetRest(netmodel.Rest)                         {}
func (m *bagModel) Severed(a, b sim.NodeID) bool                  { return false }
func (m *bagModel) Room(from, to sim.NodeID) int                  { panic("bags have no streams") }
func (m *bagModel) Capacity() int                                 { return 0 }

// A foreign network gives the same counts in the table engine as that of package netsim.
func TestForeignNetworkCountsTheSame(t *testing.T) {
	for _, c := range []struct {
		system string
		nodes  int
		bugs   []string
	}{{"paxos", 5, nil}, {"twophase", 3, nil}, {"twophase", 3, []string{"TP3"}}} {
		t.Run(fmt.Sprint(c.system, c.bugs), func(t *testing.T) {
			entry, err := systems.Find(c.system)
			if err != nil {
				t.Fatal(err)
			}
			sys, err := entry.New(spec.Config{Nodes: c.nodes, Bugs: c.bugs})
			if err != nil {
				t.Fatal(err)
			}
			sys, err = sys.WithLimits(sim.Limits{sim.Crashes: 1})
			if err != nil {
				t.Fatal(err)
			}
			want := explored(t, &sys, options.Options{})
			sys.Network = bags{}
			compare(t, want, explored(t, &sys, options.Options{}))
		})
	}
}
