package pastry

import (
	"fmt"
	"math/bits"
)

// keyBits is the length of the longest keys.
const keyBits = 160

// Key is a position on the ring of keys, or the distance between two: a number modulo 2^160, most significant word
// first. The low 32 bits of the last word are clear. Shorter keys are the high bits of long keys with the other bits
// clear, so that arithmetic is the same for all lengths.
type Key [3]uint64

// Minus returns k-l on the ring: the clockwise distance from l to k.
func (k Key) Minus(l Key) Key {
	var d Key
	var borrow uint64
	for i := len(d) - 1; i >= 0; i-- {
		d[i], borrow = bits.Sub64(k[i], l[i], borrow)
	}
	return d
}

// Less compares the keys as numbers from 0 to 2^160-1, which is correct for all distances.
func (k Key) Less(l Key) bool {
	for i := range k {
		if k[i] != l[i] {
			return k[i] < l[i]
		}
	}
	return false
}

// overflown reports whether k is at least half the ring.
func (k Key) overflown() bool { return k[0]>>63 == 1 }

// apart returns the distance between two keys along the shorter arc.
func apart(k, l Key) Key {
	d := k.Minus(l)
	if d.overflown() {
		return l.Minus(k)
	}
	return d
}

// digit returns digit i of k, the most significant being 0. The width in bits divides 64.
func (k Key) digit(i, width int) int {
	at := i * width
	return int(k[at/64] << (at % 64) >> (64 - width))
}

// sharedBits returns the number of leading bits that k and l share.
func (k Key) sharedBits(l Key) int {
	for i := range k {
		if x := k[i] ^ l[i]; x != 0 {
			return 64*i + bits.LeadingZeros64(x)
		}
	}
	return keyBits
}

// String returns the first 32 bits in hexadecimal, enough to distinguish nodes.
func (k Key) String() string { return fmt.Sprintf("%08x", k[0]>>32) }
