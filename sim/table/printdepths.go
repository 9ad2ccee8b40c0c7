package table

import "github.com/macemc/macemc/sim"

// printDepths maps fingerprints of one or two words to what a bounded depth-first exploration keeps for each: an
// open-addressing table, at most three quarters of which are in use.
type printDepths struct {
	words int
	keys  []uint64 // words for each slot; a first word of zero: free
	info  []uint16
	n     int
}

const minPrintDepths = 1 << 10

func newPrintDepths(words int) *printDepths {
	return &printDepths{words: words, keys: make([]uint64, words*minPrintDepths), info: make([]uint16, minPrintDepths)}
}

// slot returns where f is, or would be.
func (p *printDepths) slot(f *sim.Fingerprint) int {
	if f.Lo == 0 {
		f.Lo = 1
	}
	mask := len(p.info) - 1
	for i := int(f.Lo>>16) & mask; ; i = (i + 1) & mask {
		key := p.keys[i*p.words:][:p.words]
		if key[0] == 0 || key[0] == f.Lo && (p.words == 1 || key[1] == f.Hi) {
			return i
		}
	}
}

// at returns what is kept for a fingerprint that was met; it is valid until the next one is.
func (p *printDepths) at(f sim.Fingerprint) *uint16 { return &p.info[p.slot(&f)] }

// meet notes that a state was met at some depth: it may be new, or have been met at greater depths only.
func (p *printDepths) meet(f sim.Fingerprint, depth int32) (added, nearer bool) {
	i := p.slot(&f)
	if p.keys[i*p.words] != 0 {
		met := &p.info[i]
		if nearer = int32(*met>>1) > depth; nearer {
			*met = metAt(depth) | *met&expandedFlag
		}
		return false, nearer
	}
	copy(p.keys[i*p.words:][:p.words], []uint64{f.Lo, f.Hi})
	p.info[i] = metAt(depth)
	if p.n++; p.n > len(p.info)/4*3 {
		p.grow()
	}
	return true, false
}

func (p *printDepths) grow() {
	old := *p
	p.keys, p.info = make([]uint64, 2*len(old.keys)), make([]uint16, 2*len(old.info))
	for i, info := range old.info {
		key := old.keys[i*p.words:][:p.words]
		if key[0] == 0 {
			continue
		}
		f := sim.Fingerprint{Lo: key[0], Hi: key[p.words-1]}
		j := p.slot(&f)
		copy(p.keys[j*p.words:], key)
		p.info[j] = info
	}
}

// growth is how much memory is taken in addition while the table grows, if that is due soon.
func (p *printDepths) growth() int {
	if p.n+len(p.info)/64 < len(p.info)/4*3 {
		return 0
	}
	return 2 * p.bytes()
}

func (p *printDepths) bytes() int { return 8*len(p.keys) + 2*len(p.info) }
