package shard

import (
	"encoding/binary"
	"errors"
	"fmt"
	"runtime"

	"github.com/macemc/macemc/internal/explore"
	"github.com/macemc/macemc/internal/explore/stateset"
	"github.com/macemc/macemc/internal/table/statespace"
	"github.com/macemc/macemc/sim"
)

// Pack is states on their way to another process. What each number in it stands for is said where it comes first, so that a pack can be
// read by whoever knows the content.
type Pack struct {
	s     *Shard
	buf   []byte
	n     int
	sum   uint64 // see share
	told  [contentKinds]codes
	turn  uint32         // how many packs were made
	state []uint32       // the one before
	lo    uint64         // the first half of its fingerprint
	v     []uint32       // its vector of the world
	last  explore.Source // where it was found
}

// codes are what numbers of one kind are in a pack.
type codes struct {
	by []uint64 // by number: of which turn the code is, and, in the low half, the code
	n  uint32   // codes
}

// of is the code of a number; fresh: it has not come before.
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
	for i := range p.told {
		p.told[i].n = 0
	}
}

// Len is how many states and bytes there are.
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

// put adds a word of a vector of the world, if it is another one than that of the state before.
func (p *Pack) put(w int, n uint32) {
	if p.n > 0 && n == p.v[w] {
		return
	}
	p.v[w] = n
	content := p.s.contents
	kind, code, fresh := content.words[w], n+1, false
	if kind != plainContent {
		code, fresh = p.told[kind].of(n, p.turn)
	}
	p.buf = binary.AppendUvarint(binary.AppendUvarint(p.buf, uint64(w+1)), uint64(code))
	if fresh {
		p.buf = appendKey(p.buf, content.key(kind, n))
	}
}

// share is what a state adds to the sum of a pack, which says whether what counts in it is what it was.
func share(lo uint64, from explore.Source) uint64 {
	return lo + uint64(from.By)*0x9E3779B97F4A7C15
}

// appendSource appends where a state was found, as it differs from where the one before was.
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

// Take returns what was added, and begins anew.
func (p *Pack) Take() []byte {
	out := binary.AppendUvarint(make([]byte, 0, len(p.buf)+18), uint64(p.n))
	out = append(binary.LittleEndian.AppendUint64(out, p.sum), p.buf...)
	p.reset()
	return out
}

// errTorn is recovered from.
var errTorn = errors.New("states that came from elsewhere are damaged")

// unpacking reads a pack.
type unpacking struct {
	buf  []byte
	told [contentKinds][]told
	code []uint32
	v    []uint32
}

// told is what a code stands for.
type told struct {
	key   sim.Fingerprint
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

// Unpack reads a pack: the states, as vectors one after the other, and where each was found. The states that some of them were found from may
// be asked for, to make content that is not known here; without stateOf states are not wanted. The error says that the pack is damaged, or that
// something does what it did not do elsewhere.
func (s *Shard) Unpack(pack []byte, stateOf func(part, number uint32) ([]uint32, error)) (states []uint32, from []explore.Source, err error) {
	defer func() {
		switch r := recover().(type) {
		case nil:
		case runtime.Error: // of numbers that nothing has
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
		return nil, nil, fmt.Errorf("%d states that came from elsewhere are not what they were there", n)
	}
	return states, from, nil
}

// Sources reads of a pack only where its states were found.
func (s *Shard) Sources(pack []byte) (from []explore.Source, err error) {
	_, from, err = s.Unpack(pack, nil)
	return from, err
}

// read reads the next state of a pack, and reports whether all of it is known here.
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
		all := &u.told[kind]
		if code == uint64(len(*all))+1 {
			key := u.bytes(16)
			*all = append(*all, told{key: sim.Fingerprint{Lo: binary.LittleEndian.Uint64(key), Hi: binary.LittleEndian.Uint64(key[8:])}})
		}
		if code == 0 || code > uint64(len(*all)) {
			panic(errTorn)
		}
		t := &(*all)[code-1]
		if !t.known {
			t.id, t.known = s.contents.find(kind, t.key)
			// What was not come to by a step here may be impossible to copy.
			t.known = t.known && (kind != localContent || !s.engine().Locals.List[t.id].Unreached())
		}
		u.v[w-1] = t.id
		known = known && t.known
	}
	return known
}

// DiffersError says that a state leads to something else here than it did where a pack was made.
type DiffersError struct {
	explore.Source        // what differs was found from there
	Witness        uint64 // of that state, see [Shard.Witness]
}

func (e *DiffersError) Error() string {
	return fmt.Sprintf("state %d of part %d leads to something else than it did elsewhere", e.Number, e.Part)
}

// learn makes what is in the state that was read, and not known here: it takes the steps of the one that it was found from.
func (s *Shard) learn(u *unpacking, src explore.Source, stateOf func(part, number uint32) ([]uint32, error)) error {
	if src.Number == stateset.NoPlace {
		return errors.New("the first states are others elsewhere")
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
		t := &u.told[kind][u.code[w]-1]
		if !t.known {
			if t.id, t.known = s.contents.find(kind, t.key); !t.known {
				return &DiffersError{Source: src, Witness: s.Witness(before)}
			}
		}
		u.v[w] = t.id
	}
	return nil
}
