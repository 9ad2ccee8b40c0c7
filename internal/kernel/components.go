package kernel

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"iter"
	"strconv"
	"strings"

	"github.com/macemc/macemc/internal/encoding"
	"github.com/macemc/macemc/internal/kernel/declared"
	"github.com/macemc/macemc/internal/kernel/stepinfo"
	"github.com/macemc/macemc/sim"
)

func appendCount(buf []byte, n int) []byte { return binary.AppendUvarint(buf, uint64(n)) }

func appendString(buf []byte, s string) []byte { return append(appendCount(buf, len(s)), s...) }

func (w *machine) Fingerprint() sim.Fingerprint {
	sum := w.net.Fingerprint().Add(w.budgets())
	for i := range w.nodes {
		sum = sum.Add(w.nodeHash(&w.nodes[i]))
	}
	for i, m := range w.monitors {
		sum = sum.Add(w.monitorHash(i, m))
	}
	return sum
}

func (w *machine) Components() iter.Seq2[Component, sim.Fingerprint] {
	return func(yield func(Component, sim.Fingerprint) bool) {
		for i := range w.nodes {
			if !yield(Component{NodeState, i}, w.nodeHash(&w.nodes[i])) {
				return
			}
		}
		if !yield(Component{NetState, 0}, w.net.Fingerprint()) {
			return
		}
		for i, m := range w.monitors {
			if !yield(Component{MonitorState, i}, w.monitorHash(i, m)) {
				return
			}
		}
		yield(Component{Budgets, 0}, w.budgets())
	}
}

func (w *machine) NodeFingerprint(id sim.NodeID) sim.Fingerprint { return w.nodeHash(&w.nodes[id]) }

// seed keys the hash of a component.
func seed(kind ComponentKind, index int) uint64 { return uint64(kind)<<32 | uint64(index) }

func (w *machine) budgets() sim.Fingerprint {
	var sum sim.Fingerprint
	for f := range nodeFaults {
		// If none of a fault is left, a fingerprint is that of a system without that fault. Crashes always count.
		if left := w.left[f]; left > 0 || sim.Fault(f) == sim.Crashes {
			w.scratch = appendCount(w.scratch[:0], left)
			sum = sum.Add(encoding.Hash(seed(Budgets, f), w.scratch))
		}
	}
	if w.delays.clocks != nil {
		w.scratch = w.delays.append(w.scratch[:0])
		sum = sum.Add(encoding.Hash(seed(Budgets, len(nodeFaults)), w.scratch))
	}
	if w.time.at != nil {
		w.scratch = w.time.append(w.scratch[:0])
		sum = sum.Add(encoding.Hash(seed(Budgets, len(nodeFaults)+1), w.scratch))
	}
	return sum
}

func (w *machine) monitorHash(i int, m sim.Monitor) sim.Fingerprint {
	w.enc.Reset()
	w.enc.Add(w.planOf(m), m)
	return encoding.Hash(seed(MonitorState, i), w.enc.Bytes())
}

func (w *machine) nodeHash(n *node) sim.Fingerprint {
	if !n.hashed {
		w.scratch = w.appendNodeState(n, w.scratch[:0])
		n.hash, n.hashed = encoding.Hash(seed(NodeState, int(n.id)), w.scratch), true
	}
	return n.hash
}

// appendNodeState encodes the whole local state of a node.
func (w *machine) appendNodeState(n *node, buf []byte) []byte {
	buf = w.appendService(n, buf)
	buf = appendCount(buf, len(n.armed))
	for i := range n.armed {
		buf = appendString(buf, n.armed[i].kind.enc)
		buf = binary.AppendUvarint(buf, uint64(n.armed[i].left))
	}
	for i := range w.actions {
		if w.actions[i].Times > 0 {
			buf = appendCount(buf, int(n.counts[i]))
		}
	}
	if len(w.quorums) > 0 {
		buf = binary.AppendUvarint(buf, n.never)
	}
	return n.disk.Append(buf)
}

// appendService encodes the service of a node, and what its clock knows of the times that the service holds.
func (w *machine) appendService(n *node, buf []byte) []byte {
	if !n.up {
		mark := byte(0)
		if n.halted {
			mark = 2
		}
		return n.clock.append(append(buf, mark), nil)
	}
	w.enc.Reset()
	w.enc.Add(w.planOf(n.service), n.service)
	buf = append(append(buf, 1), w.enc.Bytes()...)
	return n.clock.append(buf, w.enc.Times())
}

// planOf returns the plan of a value whose type has been accepted before, or may turn out now to be
// one that cannot be handled: then it panics with a [*sim.StateError].
func (w *machine) planOf(v any) *encoding.Plan {
	p, err := w.plans.Of(v)
	if err != nil {
		panic(err)
	}
	return p
}

// HashMessage, CompareMessages and DescribeMessage serve the network model.

func (w *machine) HashMessage(m *sim.Message) sim.Fingerprint {
	known := m.Seam()
	if !known.Hashed {
		w.enc.Reset()
		w.enc.Add(w.planOf(m.Body), m.Body)
		known.Hash, known.Hashed = encoding.Hash(0, w.enc.Bytes()), true
	}
	return known.Hash
}

func (w *machine) CompareMessages(a, b *sim.Message) int {
	return bytes.Compare(w.encoded(a), w.encoded(b))
}

func (w *machine) encoded(m *sim.Message) []byte {
	known := m.Seam()
	if known.Encoding == nil {
		known.Encoding = w.planOf(m.Body).Append(nil, m.Body)
	}
	return known.Encoding
}

func (w *machine) DescribeMessage(m *sim.Message) string { return w.planOf(m.Body).Text(m.Body) }

func (w *machine) Fate(id sim.MessageID, fate sim.Fate) {
	if w.opts.Trace && id > 0 {
		w.last.Fates = append(w.last.Fates, stepinfo.FateOf{ID: id, Fate: fate})
	}
}

// Duplicated gives a copy an identity of its own, but on a bench, where an identity stands for the
// content.
func (w *machine) Duplicated(id sim.MessageID) sim.MessageID {
	if w.bench {
		return id
	}
	w.nextID++
	if w.opts.Trace {
		w.last.Fates = append(w.last.Fates, stepinfo.FateOf{ID: id, Fate: sim.Duplicated, Copy: w.nextID})
	}
	return w.nextID
}

func (w *machine) NodeFields(id sim.NodeID) []sim.Field {
	n := &w.nodes[id]
	var f []sim.Field
	if n.halted {
		f = append(f, sim.Field{Path: "(node)", Value: "halted", Part: encoding.Part{Kind: encoding.OfStatus}})
	} else if !n.up {
		f = append(f, sim.Field{Path: "(node)", Value: "down", Part: encoding.Part{Kind: encoding.OfStatus}})
	} else {
		f = declared.OfCarrier(n.service, declared.OfHosted(n.service, w.planOf(n.service).Fields("", n.service, f)))
	}
	return w.besides(n, f)
}

// besides appends what there is of a node besides its service.
func (w *machine) besides(n *node, f []sim.Field) []sim.Field {
	for i := range n.armed {
		value := "armed"
		if w.sys.Timing != sim.AnyOrder {
			value = fmt.Sprintf("in %v", n.armed[i].left)
		}
		name := n.armed[i].kind.text
		f = append(f, sim.Field{Path: "(timer " + name + ")", Value: value, Part: encoding.Part{Kind: encoding.OfTimer, Name: name}})
	}
	for i := range w.actions {
		if a := &w.actions[i]; a.Times > 0 && n.counts[i] > 0 {
			f = append(f, sim.Field{Path: "(action " + a.Name + ")", Value: fmt.Sprintf("%d of %d done", n.counts[i], a.Times),
				Part: encoding.Part{Kind: encoding.OfAction, Name: a.Name, Times: a.Times}})
		}
	}
	for _, e := range n.disk.Synced {
		f = append(f, sim.Field{Path: "(disk " + e.Key + ")", Value: quoted(e.Value),
			Part: encoding.Part{Kind: encoding.OfDisk, Name: e.Key}})
	}
	for i, p := range n.disk.Pending {
		value := p.Key + " = " + quoted(p.Value)
		if p.Gone {
			value = p.Key + " deleted"
		}
		f = append(f, sim.Field{Path: fmt.Sprintf("(unsynced write %d)", i+1), Value: value,
			Part: encoding.Part{Kind: encoding.OfWrite, Name: p.Key}})
	}
	return f
}

// quoted is what is on a disk, in quotes: in backquotes when it has other quotes, as JSON does.
func quoted(value []byte) string {
	if text := string(value); strings.Contains(text, `"`) && strconv.CanBackquote(text) {
		return "`" + text + "`"
	}
	return strconv.Quote(string(value))
}

// MonitorFields describes the state of a monitor for people. Nil: the world does not hold it as it is.
func MonitorFields(in World, i int) []sim.Field {
	if w, ok := in.(*machine); ok && i < len(w.monitors) {
		return w.planOf(w.monitors[i]).Fields("", w.monitors[i], nil)
	}
	return nil
}

// Obligations are those of a monitor that are not settled, if it obliges and the world holds it as it is. When it panics, so does the call.
func Obligations(in World, i int) []sim.Obligation {
	if w, ok := in.(*machine); ok && i < len(w.monitors) {
		return declared.OwedBy(w.monitors[i]).Waits
	}
	return nil
}

func (w *machine) NetFields() []sim.Field {
	f := w.net.Fields(nil)
	for of, limit := range declared.NodeLimits(w.sys) {
		if limit > 0 {
			f = append(f, sim.Field{Path: sim.Fault(of).String() + " left", Value: fmt.Sprint(w.left[of])})
		}
	}
	if w.time.at != nil {
		f = append(f, sim.Field{Path: "(common time)", Value: w.time.now.String()})
	}
	return w.delays.fields(f)
}

// Hash is the component hash of an encoding.
func Hash(kind ComponentKind, index int, enc []byte) sim.Fingerprint {
	return encoding.Hash(seed(kind, index), enc)
}
