package kernel

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"iter"

	"github.com/macemc/macemc/internal/encoding"
	"github.com/macemc/macemc/internal/encoding/diff"
	"github.com/macemc/macemc/internal/kernel/declared"
	"github.com/macemc/macemc/internal/kernel/stepinfo"
	"github.com/macemc/macemc/internal/netmodel"
	"github.com/macemc/macemc/sim"
)

func appendCount(buf []byte, n int) []byte { return binary.AppendUvarint(buf, uint64(n)) }

func appendString(buf []byte, s string) []byte { return append(appendCount(buf, len(s)), s...) }

func (w *Machine) Fingerprint() encoding.Fingerprint {
	sum := w.Net.Fingerprint().Add(w.Budgets())
	for i := range w.Members {
		sum = sum.Add(w.NodeHash(&w.Members[i]))
	}
	for i, m := range w.Monitors {
		sum = sum.Add(w.monitorHash(i, m))
	}
	return sum
}

func (w *Machine) Components() iter.Seq2[Component, encoding.Fingerprint] { return w.components }

func (w *Machine) yieldComponents(yield func(Component, encoding.Fingerprint) bool) {
	for i := range w.Members {
		if !yield(Component{NodeState, i}, w.NodeHash(&w.Members[i])) {
			return
		}
	}
	if !yield(Component{NetState, 0}, w.Net.Fingerprint()) {
		return
	}
	for i, m := range w.Monitors {
		if !yield(Component{MonitorState, i}, w.monitorHash(i, m)) {
			return
		}
	}
	yield(Component{Budgets, 0}, w.Budgets())
}

func (w *Machine) NodeFingerprint(id sim.NodeID) encoding.Fingerprint {
	return w.NodeHash(&w.Members[id])
}

// seed keys the hash of a component.
func seed(kind ComponentKind, index int) uint64 { return uint64(kind)<<32 | uint64(index) }

func (w *Machine) Budgets() encoding.Fingerprint {
	var sum encoding.Fingerprint
	for i := range crashFaults {
		f := crashFaults[i].fault
		// If none of a fault is left, the fingerprint equals that of a system without the fault. Crashes always count.
		if left := w.FaultsLeft[f]; left > 0 || f == sim.Crashes {
			w.scratch = appendCount(w.scratch[:0], left)
			sum = sum.Add(encoding.Hash(seed(Budgets, i), w.scratch))
		}
	}
	if w.delays.Bounded() {
		w.scratch = w.delays.Append(w.scratch[:0])
		sum = sum.Add(encoding.Hash(seed(Budgets, len(crashFaults)), w.scratch))
	}
	if w.time.at != nil {
		w.scratch = w.time.append(w.scratch[:0])
		sum = sum.Add(encoding.Hash(seed(Budgets, len(crashFaults)+1), w.scratch))
	}
	return sum.Add(w.programBudgets())
}

func (w *Machine) monitorHash(i int, m sim.Monitor) encoding.Fingerprint {
	w.Enc.Reset()
	w.Enc.Add(w.PlanOf(m), m)
	return encoding.Hash(seed(MonitorState, i), w.Enc.Bytes())
}

func (w *Machine) NodeHash(n *Node) encoding.Fingerprint {
	if !n.hashed {
		w.scratch = w.AppendNodeState(n, w.scratch[:0])
		n.hash, n.hashed = encoding.Hash(seed(NodeState, int(n.ID)), w.scratch), true
	}
	return n.hash
}

// AppendNodeState encodes the whole local state of a node.
func (w *Machine) AppendNodeState(n *Node, buf []byte) []byte {
	buf = w.appendService(n, buf)
	buf = appendCount(buf, len(n.Armed))
	for i := range n.Armed {
		buf = appendString(buf, n.Armed[i].Kind.enc)
		buf = binary.AppendUvarint(buf, uint64(n.Armed[i].untilDue))
	}
	for i := range w.Actions {
		if w.Actions[i].Times > 0 {
			buf = appendCount(buf, int(n.Counts[i]))
		}
	}
	if len(w.Quorums) > 0 {
		buf = binary.AppendUvarint(buf, n.never)
	}
	return n.Disk.Append(buf)
}

// NodeBytes returns the mean length of the encoded states of nodes. The time that a step takes grows with it.
func (w *Machine) NodeBytes() int {
	n := 0
	for i := range w.Members {
		w.scratch = w.AppendNodeState(&w.Members[i], w.scratch[:0])
		n += len(w.scratch)
	}
	return n / max(1, len(w.Members))
}

// appendService encodes the service of a node and its clock's decisions about the times that the service holds.
func (w *Machine) appendService(n *Node, buf []byte) []byte {
	if !n.Up {
		mark := byte(0)
		if n.halted {
			mark = 2
		}
		return n.Clock.AppendOrder(append(buf, mark), nil)
	}
	w.Enc.Reset()
	w.Enc.Add(w.PlanOf(n.Service), n.Service)
	buf = append(append(buf, 1), w.Enc.Bytes()...)
	return n.Clock.AppendOrder(buf, w.Enc.Times())
}

// PlanOf returns the plan of a value. It panics with a [*encoding.Error] if the type is not supported, which may become
// known only here, behind an interface.
func (w *Machine) PlanOf(v any) *encoding.Plan {
	p, err := w.plans.Of(v)
	if err != nil {
		panic(err)
	}
	return p
}

// HashMessage, CompareMessages and DescribeMessage serve the network model.

func (w *Machine) HashMessage(m *netmodel.Message) encoding.Fingerprint {
	known := m.Attached()
	if !known.Hashed {
		w.Enc.Reset()
		w.Enc.Add(w.PlanOf(m.Body), m.Body)
		known.Hash, known.Hashed = encoding.Hash(0, w.Enc.Bytes()), true
	}
	return known.Hash
}

func (w *Machine) CompareMessages(a, b *netmodel.Message) int {
	return bytes.Compare(w.Encoded(a), w.Encoded(b))
}

func (w *Machine) Encoded(m *netmodel.Message) []byte {
	known := m.Attached()
	if known.Encoding == nil {
		known.Encoding = w.PlanOf(m.Body).Append(nil, m.Body)
	}
	return known.Encoding
}

func (w *Machine) DescribeMessage(m *netmodel.Message) string {
	if w.names {
		return w.PlanOf(m.Body).Names(m.Body)
	}
	return w.PlanOf(m.Body).Text(m.Body)
}

func (w *Machine) Fate(id sim.MessageID, fate netmodel.Fate) {
	if w.Opts.Trace && id > 0 {
		w.last.Fates = append(w.last.Fates, stepinfo.FateOf{ID: id, Fate: fate})
	}
}

// Duplicated gives a copy an identity of its own. On a bench, it keeps the identity, which stands for the content.
func (w *Machine) Duplicated(id sim.MessageID) sim.MessageID {
	if w.OnBench {
		return id
	}
	w.nextID++
	w.doubled = true
	if w.Opts.Trace {
		w.last.Fates = append(w.last.Fates, stepinfo.FateOf{ID: id, Fate: netmodel.Duplicated, Copy: w.nextID})
	}
	return w.nextID
}

func (w *Machine) NodeFields(id sim.NodeID) []diff.Field {
	n := &w.Members[id]
	var f []diff.Field
	if n.halted {
		f = append(f, diff.Field{Path: "(node)", Value: "halted", Part: diff.Part{Kind: diff.OfStatus}})
	} else if !n.Up {
		f = append(f, diff.Field{Path: "(node)", Value: "down", Part: diff.Part{Kind: diff.OfStatus}})
	} else {
		f = declared.OfCarrier(n.Service, declared.OfHosted(n.Service, w.PlanOf(n.Service).Fields("", n.Service, f)))
	}
	return w.besides(n, f)
}

// besides appends the fields of a node other than its service.
func (w *Machine) besides(n *Node, f []diff.Field) []diff.Field {
	for i := range n.Armed {
		value := "armed"
		if w.Sys.Timing != sim.AnyOrder {
			value = fmt.Sprintf("in %v", n.Armed[i].untilDue)
		}
		name := n.Armed[i].Kind.Text
		f = append(f, diff.Field{Path: "(timer " + name + ")", Value: value, Part: diff.Part{Kind: diff.OfTimer, Name: name}})
	}
	for i := range w.Actions {
		if a := &w.Actions[i]; a.Times > 0 && n.Counts[i] > 0 {
			f = append(f, diff.Field{Path: "(action " + a.Name + ")", Value: fmt.Sprintf("%d of %d done", n.Counts[i], a.Times),
				Part: diff.Part{Kind: diff.OfAction, Name: a.Name, Times: a.Times}})
		}
	}
	return n.Disk.Fields(f)
}

// Monitor returns a monitor, or nil if the world does not hold the monitor itself.
func Monitor(in World, i int) sim.Monitor {
	if w, ok := in.(*Machine); ok && i < len(w.Monitors) {
		return w.Monitors[i]
	}
	return nil
}

// MonitorFields describes the state of a monitor for people. It returns nil if the world does not hold the monitor
// itself.
func MonitorFields(in World, i int) []diff.Field {
	if m := Monitor(in, i); m != nil {
		return in.(*Machine).PlanOf(m).Fields("", m, nil)
	}
	return nil
}

// Obligations returns the open obligations of a monitor, if it has any and the world holds the monitor itself. It
// panics if the monitor does.
func Obligations(in World, i int) []sim.Obligation {
	if m := Monitor(in, i); m != nil {
		return declared.OwedBy(m).Waits
	}
	return nil
}

func (w *Machine) NetFields() []diff.Field {
	w.names = true
	f := w.Net.Fields(nil)
	w.names = false
	for of, limit := range w.limits {
		if limit > 0 {
			f = append(f, diff.Field{Path: sim.Fault(of).String() + " left", Value: fmt.Sprint(w.FaultsLeft[of])})
		}
	}
	if w.time.at != nil {
		f = append(f, diff.Field{Path: "(common time)", Value: w.time.now.String()})
	}
	return w.delays.Fields(f)
}

// Hash is the component hash of an encoding.
func Hash(kind ComponentKind, index int, enc []byte) encoding.Fingerprint {
	return encoding.Hash(seed(kind, index), enc)
}
