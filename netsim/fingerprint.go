package netsim

import (
	"encoding/binary"

	"github.com/macemc/macemc/internal/encoding"
	"github.com/macemc/macemc/sim"
)

// fingerprintCache holds the fingerprint of a model: the sum of the fingerprints of its components. These are the ends of
// connections with their queues, the bags of datagrams, and the global part. A component in the state after Reset
// counts zero. Changes mark components as stale. Hashing is deferred until Fingerprint is called, so that runs that
// never call it pay almost nothing.
type fingerprintCache struct {
	sum   encoding.Fingerprint
	ends  []encoding.Fingerprint // as included in sum; nil until the first call of Fingerprint
	bags  []encoding.Fingerprint
	other encoding.Fingerprint

	staleEnds  []int32
	staleBags  []int32
	bagIsStale []bool
	otherStale bool

	seed uint64 // of the component being hashed
	buf  []byte
}

func (p *fingerprintCache) init(nodes int) {
	p.bagIsStale = make([]bool, nodes)
	p.otherStale = true
}

// reset must be called before the model itself is reset.
func (p *fingerprintCache) reset(m *model) {
	if p.ends != nil {
		for _, i := range m.touched {
			p.ends[i] = encoding.Fingerprint{}
		}
	}
	clear(p.bags)
	p.sum, p.other, p.otherStale = encoding.Fingerprint{}, encoding.Fingerprint{}, true
	for _, i := range p.staleBags {
		p.bagIsStale[i] = false
	}
	p.staleEnds, p.staleBags = p.staleEnds[:0], p.staleBags[:0]
}

// bag marks a bag of datagrams as changed.
func (p *fingerprintCache) bag(node sim.NodeID) {
	if !p.bagIsStale[node] {
		p.bagIsStale[node] = true
		p.staleBags = append(p.staleBags, int32(node))
	}
}

// globals marks the fault limits and the partition as changed.
func (p *fingerprintCache) globals() { p.otherStale = true }

// Fingerprint implements [netmodel.Model]. Its time is proportional to the changes since the last call.
func (m *model) Fingerprint() encoding.Fingerprint {
	p := &m.prints
	if p.ends == nil {
		p.ends = make([]encoding.Fingerprint, len(m.ends))
		p.bags = make([]encoding.Fingerprint, len(m.bags))
	}
	for _, i := range p.staleEnds {
		m.ends[i].marks &^= stale
		p.replace(&p.ends[i], m.endPrint(i))
	}
	for _, i := range p.staleBags {
		p.bagIsStale[i] = false
		p.replace(&p.bags[i], m.bagPrint(i))
	}
	p.staleEnds, p.staleBags = p.staleEnds[:0], p.staleBags[:0]
	if p.otherStale {
		p.otherStale = false
		p.replace(&p.other, m.otherPrint())
	}
	return p.sum
}

func (p *fingerprintCache) replace(old *encoding.Fingerprint, now encoding.Fingerprint) {
	p.sum = p.sum.Sub(*old).Add(now)
	*old = now
}

// The hash of a component is keyed by its kind and position.
const (
	endKey uint64 = (iota + 1) << 60
	bagKey
	otherKey
)

func (m *model) endPrint(i int32) encoding.Fingerprint {
	e := &m.ends[i]
	if e.flags == 0 && e.n == 0 {
		return encoding.Fingerprint{}
	}
	p := &m.prints
	p.start(endKey | uint64(int(i)/m.nodes)<<30 | uint64(int(i)%m.nodes))
	p.word(uint64(e.flags))
	for c, n := e.head, e.n; n > 0; c, n = m.cells[c].next, n-1 {
		p.message(m.host.HashMessage(&m.cells[c].msg))
	}
	return p.done()
}

func (m *model) bagPrint(node int32) encoding.Fingerprint {
	if len(m.bags[node]) == 0 {
		return encoding.Fingerprint{}
	}
	p := &m.prints
	p.start(bagKey | uint64(node))
	for _, d := range m.bags[node] {
		p.word(uint64(d.from))
		p.message(m.host.HashMessage(&m.cells[d.cell].msg))
	}
	return p.done()
}

func (m *model) otherPrint() encoding.Fingerprint {
	p := &m.prints
	p.start(otherKey)
	for i := range faults {
		p.word(uint64(m.left[faults[i].of]))
	}
	if m.partition.active {
		p.word(uint64(m.partition.node))
		p.word(uint64(m.partition.peer))
	}
	return p.done()
}

func (p *fingerprintCache) start(key uint64) { p.seed, p.buf = key, p.buf[:0] }

func (p *fingerprintCache) word(w uint64) { p.buf = binary.LittleEndian.AppendUint64(p.buf, w) }

func (p *fingerprintCache) message(f encoding.Fingerprint) {
	p.word(f.Hi)
	p.word(f.Lo)
}

func (p *fingerprintCache) done() encoding.Fingerprint { return encoding.Hash(p.seed, p.buf) }
