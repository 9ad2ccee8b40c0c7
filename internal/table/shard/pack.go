package shard

import (
	"encoding/binary"
	"errors"
	"fmt"
	"runtime"

	"github.com/macemc/macemc/internal/encoding"
	"github.com/macemc/macemc/internal/explore"
	"github.com/macemc/macemc/internal/explore/stateset"
	"github.com/macemc/macemc/internal/table/statespace"
)

// Pack encodes states for another process. The first use of a number in it defines its content, so a receiver needs
// no other data.
type Pack struct {
	s     *Shard
	buf   []byte
	n     int
	sum   uint64 // of share of the states
	codes [contentKinds]codes
	turn  uint32         // number of packs made
	state []uint32       // the previous state
	lo    uint64         // first half of its fingerprint
	v     []uint32       // its vector of the world
	last  explore.Source // its source
}

// codes assigns small codes to the numbers of one kind in a pack.
type codes struct {
	by []uint64 // by number: the turn in which the code was assigned, and the code in the low half
	n  uint32   // number of codes
}

// of returns the code of a number. Fresh is true if it is new in this pack.
func (c *codes) of(n, turn uint32) (code uint32, fresh bool) {
	if int(n) >= len(c.by) {
		c.by = append(c.by, make([]uint64, int(n)+1-len(c.by)+len(c.by)/2)...)
	}
	if at := c.by[n]; uint32(at>>32) == turn {
		return uint32(at), false
	}
	c.n++
	c.by[n] = uint64(turn)<<32 | uint64(c.n)
	return c.n, true
}

// NewPack returns an empty pack.
func (s *Shard) NewPack() *Pack {
	words := s.engine().Layout.Words
	p := &Pack{s: s, v: make([]uint32, words), state: make([]uint32, s.g.Configs.Words)}
	p.reset()
	return p
}

func (p *Pack) reset() {
	p.buf, p.n, p.sum, p.lo, p.last = p.buf[:0], 0, 0, 0, explore.Source{}
	p.turn++
	for i := range p.codes {
		p.codes[i].n = 0
	}
}

// Len returns the number of states and bytes.
func (p *Pack) Len() (states, bytes int) { return p.n, len(p.buf) }

// Add adds a state.
func (p *Pack) Add(state []uint32, from explore.Source) {
	sites, l := p.s.g.Configs, &p.s.engine().Layout
	p.buf = appendSource(p.buf, from, p.last)
	p.last = from
	for w, n := range state {
		if p.n > 0 {
			if n == p.state[w] {
				continue
			}
			p.lo -= sites.WordShare(w, p.state[w]).Lo
		}
		p.state[w] = n
		p.lo += sites.WordShare(w, n).Lo
		switch {
		case w < l.Nodes:
			at := sites.Tables[w].List[n]
			p.put(w, at.Local)
			if l.InboxCount > 0 {
				p.put(l.Inboxes+w, at.Inbox)
			}
		case w == sites.Global:
			f := &sites.Globals[n]
			p.put(l.NetGlobals, f.Net)
			p.put(l.Budget, f.Budget)
		default:
			p.put(l.Conns+w-l.Nodes, n)
		}
	}
	p.sum += share(p.lo, from)
	p.buf = append(p.buf, 0)
	p.n++
}

// put adds a word of a vector of the world if it differs from that of the previous state.
func (p *Pack) put(w int, n uint32) {
	if p.n > 0 && n == p.v[w] {
		return
	}
	p.v[w] = n
	content := p.s.contents
	kind, code, fresh := content.words[w], n+1, false
	if kind != plainContent {
		code, fresh = p.codes[kind].of(n, p.turn)
	}
	p.buf = binary.AppendUvarint(binary.AppendUvarint(p.buf, uint64(w+1)), uint64(code))
	if fresh {
		p.buf = appendKey(p.buf, content.key(kind, n))
	}
}

// share returns the contribution of a state to the checksum of a pack.
func share(lo uint64, from explore.Source) uint64 {
	return lo + uint64(from.By)*0x9E3779B97F4A7C15
}

// appendSource appends a source as a difference to the one before.
func appendSource(buf []byte, s, before explore.Source) []byte {
	buf = append(binary.AppendUvarint(binary.AppendUvarint(buf, uint64(s.Part)), uint64(s.EdgeIndex)), s.Note)
	buf = binary.AppendVarint(buf, int64(s.Number)-int64(before.Number))
	return binary.AppendUvarint(binary.AppendUvarint(buf, uint64(s.By>>statespace.Sleepers)), uint64(s.By&(1<<statespace.Sleepers-1)))
}

func (u *unpacking) source(before explore.Source) explore.Source {
	s := explore.Source{Part: uint32(u.number()), EdgeIndex: uint32(u.number()), Note: u.bytes(1)[0]}
	s.Number = uint32(int64(before.Number) + u.signed())
	s.By = uint32(u.number()) << statespace.Sleepers
	s.By |= uint32(u.number())
	return s
}

// Take returns the pack, and starts a new one.
func (p *Pack) Take() []byte {
	out := binary.AppendUvarint(make([]byte, 0, len(p.buf)+18), uint64(p.n))
	out = append(binary.LittleEndian.AppendUint64(out, p.sum), p.buf...)
	p.reset()
	return out
}

// errTorn reports a damaged pack, by panic inside this file.
var errTorn = errors.New("states received from another process are damaged")

// unpacking decodes a pack.
type unpacking struct {
	buf      []byte
	meanings [contentKinds][]meaning
	code     []uint32
	v        []uint32
}

// meaning is the content of a code.
type meaning struct {
	key   encoding.Fingerprint
	id    uint32
	known bool
}

func (u *unpacking) number() uint64 {
	n, k := binary.Uvarint(u.buf)
	if k <= 0 {
		panic(errTorn)
	}
	u.buf = u.buf[k:]
	return n
}

func (u *unpacking) signed() int64 {
	n, k := binary.Varint(u.buf)
	if k <= 0 {
		panic(errTorn)
	}
	u.buf = u.buf[k:]
	return n
}

func (u *unpacking) bytes(n int) []byte {
	if len(u.buf) < n {
		panic(errTorn)
	}
	b := u.buf[:n]
	u.buf = u.buf[n:]
	return b
}

// Unpack decodes a pack into states, as concatenated vectors, and their sources. It calls stateOf for the source of
// a state if its content is missing here. If stateOf is nil no states are returned. The error reports a damaged
// pack, or steps that have other results here than in the sender.
func (s *Shard) Unpack(pack []byte, stateOf func(part, number uint32) ([]uint32, error)) (states []uint32, from []explore.Source,
	err error) {
	defer func() {
		switch r := recover().(type) {
		case nil:
		case runtime.Error: // numbers out of range
			err = errTorn
		default:
			if r != errTorn {
				panic(r)
			}
			err = errTorn
		}
	}()
	e := s.engine()
	u := &unpacking{buf: pack, code: make([]uint32, e.Layout.Words), v: make([]uint32, e.Layout.Words)}
	n := u.number()
	sum, got, src := binary.LittleEndian.Uint64(u.bytes(8)), uint64(0), explore.Source{}
	words := s.g.Configs.Words
	for range n {
		src = u.source(src)
		known := s.read(u)
		from = append(from, src)
		if stateOf == nil {
			continue
		}
		if !known {
			if err := s.learn(u, src, stateOf); err != nil {
				return nil, nil, err
			}
		}
		at := len(states)
		states = append(states, make([]uint32, words)...)
		s.g.Configs.Pack(u.v, states[at:])
		got += share(s.g.Configs.Fingerprint(states[at:]).Lo, src)
	}
	if got != sum && stateOf != nil {
		return nil, nil, fmt.Errorf("%d states received from another process differ here", n)
	}
	return states, from, nil
}

// Sources decodes only the sources of the states of a pack.
func (s *Shard) Sources(pack []byte) (from []explore.Source, err error) {
	_, from, err = s.Unpack(pack, nil)
	return from, err
}

// read decodes the next state of a pack, and reports whether all of its content is known here.
func (s *Shard) read(u *unpacking) bool {
	known := true
	for w := u.number(); w != 0; w = u.number() {
		if w > uint64(len(u.v)) {
			panic(errTorn)
		}
		kind, code := s.contents.words[w-1], u.number()
		u.code[w-1] = uint32(code)
		if kind == plainContent {
			u.v[w-1] = uint32(code) - 1
			continue
		}
		all := &u.meanings[kind]
		if code == uint64(len(*all))+1 {
			key := u.bytes(16)
			*all = append(*all, meaning{key: encoding.Fingerprint{Lo: binary.LittleEndian.Uint64(key), Hi: binary.LittleEndian.Uint64(key[8:])}})
		}
		if code == 0 || code > uint64(len(*all)) {
			panic(errTorn)
		}
		t := &(*all)[code-1]
		if !t.known {
			t.id, t.known = s.contents.find(kind, t.key)
			// A local state that no step reached here may be impossible to copy.
			t.known = t.known && (kind != localContent || !s.engine().Locals.List[t.id].Unreached())
		}
		u.v[w-1] = t.id
		known = known && t.known
	}
	return known
}

// DiffersError reports a state with other successors here than in the process that made the pack.
type DiffersError struct {
	explore.Source        // the state
	Witness        uint64 // of that state, see [Shard.Witness]
}

func (e *DiffersError) Error() string {
	return fmt.Sprintf("state %d of part %d has other successors than in another process", e.Number, e.Part)
}

// learn creates the missing content of the decoded state by executing the steps of its source.
func (s *Shard) learn(u *unpacking, src explore.Source, stateOf func(part, number uint32) ([]uint32, error)) error {
	if src.Number == stateset.NoPlace {
		return errors.New("another process has other initial states")
	}
	before, err := stateOf(src.Part, src.Number)
	if err != nil {
		return err
	}
	s.Learned++
	if s.Mark != nil {
		s.Mark(src.Part, src.Number)
	}
	s.scratch.Reset()
	before = append([]uint32(nil), before...)
	if err := s.g.Expand(before, -1, &s.scratch); err != nil {
		return err
	}
	for w, kind := range s.contents.words {
		if kind == plainContent {
			continue
		}
		t := &u.meanings[kind][u.code[w]-1]
		if !t.known {
			if t.id, t.known = s.contents.find(kind, t.key); !t.known {
				return &DiffersError{Source: src, Witness: s.Witness(before)}
			}
		}
		u.v[w] = t.id
	}
	return nil
}
