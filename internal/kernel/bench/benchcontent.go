package bench

import (
	"github.com/macemc/macemc/internal/encoding"
	"github.com/macemc/macemc/internal/kernel"
	"github.com/macemc/macemc/internal/kernel/declared"
	"github.com/macemc/macemc/internal/netmodel"
	"github.com/macemc/macemc/sim"
)

// AppendLocal appends the canonical encoding of a local state. It panics with a finding's text if the state cannot be
// encoded.
func (b *Bench) AppendLocal(id sim.NodeID, l *kernel.Local, buf []byte) []byte {
	return b.w.AppendNodeState(b.w.Put(id, l), buf)
}

// HashBudgets returns the component hash of the remaining faults of nodes.
func (b *Bench) HashBudgets(left sim.Limits) encoding.Fingerprint {
	b.w.FaultsLeft = left
	return b.w.Budgets()
}

// Copyable returns the reason why a local state cannot be copied, or nil.
func (b *Bench) Copyable(l *kernel.Local) error { return b.w.Copyable(l) }

// Copy returns a deep copy.
func (b *Bench) Copy(l *kernel.Local) (*kernel.Local, error) { return b.w.CopyLocal(l) }

// NewMessage returns a message with an identity and with its encoding and hash computed. It refers to body.
func (b *Bench) NewMessage(body any, id sim.MessageID) netmodel.Message {
	m := netmodel.Message{Body: body, ID: id}
	b.w.Encoded(&m)
	b.w.HashMessage(&m)
	return m
}

// AppendValue appends the canonical encoding of a message or an announced event.
func (b *Bench) AppendValue(v any, buf []byte) []byte { return b.w.PlanOf(v).Append(buf, v) }

// CopyValue returns a private copy of a message or an announced event.
func (b *Bench) CopyValue(v any) any {
	return b.w.PrivateTo(v)
}

// NewMonitor returns monitor number i in its initial state.
func (b *Bench) NewMonitor(i int) sim.Monitor { return b.w.Sys.Monitors[i]() }

// Owes returns the obligations of a monitor that has observed no event. NewWorld has evaluated the same call.
func (b *Bench) Owes(m sim.Monitor) declared.Owed { return declared.OwedBy(m) }

// AppendMonitor appends the canonical encoding of a monitor.
func (b *Bench) AppendMonitor(m sim.Monitor, buf []byte) []byte {
	b.w.Enc.Reset()
	b.w.Enc.Add(b.w.PlanOf(m), m)
	return append(buf, b.w.Enc.Bytes()...)
}

// CopyMonitor returns a deep copy. The error describes why there is none.
func (b *Bench) CopyMonitor(m sim.Monitor) (c sim.Monitor, err error) {
	defer encoding.Catch(&err)
	return b.w.PlanOf(m).Copy(m).(sim.Monitor), nil
}
