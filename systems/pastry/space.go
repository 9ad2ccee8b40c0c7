package pastry

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"slices"

	"github.com/macemc/macemc/sim"
)

// space is the key space and the settings shared by all nodes. It is immutable.
type space struct {
	keys  []Key // by node: the hash of its address
	digit int   // bits of a digit
	rows  int   // digits of a key: rows of a routing table
	half  int   // nodes on each side of a leaf set

	// Derived from the keys, by pair of nodes.
	shared    [][]uint8 // the number of leading digits that their keys share
	clockwise [][]Key   // the distance from the first to the second
}

// newSpace hashes addresses to keys with the given length in bits, a multiple of digit. A different salt gives a
// different arrangement.
func newSpace(nodes, length, digit, leaves, salt int) (*space, error) {
	if length%digit != 0 {
		return nil, fmt.Errorf("keys of %d bits cannot be divided into digits of %d bits", length, digit)
	}
	keys := make([]Key, 0, nodes)
	for id := range nodes {
		// Short keys may collide.
		for try := 0; len(keys) <= id; try++ {
			if k := hash(fmt.Sprintf("n%d/%d/%d", id, salt, try), length); !slices.Contains(keys, k) {
				keys = append(keys, k)
			}
		}
	}
	return spaceOf(keys, length, digit, leaves), nil
}

// spaceOf returns the space of nodes with the given keys, which must differ.
func spaceOf(keys []Key, length, digit, leaves int) *space {
	s := &space{keys: keys, digit: digit, rows: length / digit, half: leaves / 2}
	for _, k := range keys {
		shared, clockwise := make([]uint8, len(keys)), make([]Key, len(keys))
		for i, l := range keys {
			shared[i], clockwise[i] = uint8(k.sharedBits(l)/digit), l.Minus(k)
		}
		s.shared, s.clockwise = append(s.shared, shared), append(s.clockwise, clockwise)
	}
	return s
}

// hash returns the first bits of the hash of an address.
func hash(address string, length int) Key {
	sum := sha256.Sum256([]byte(address))
	var k Key
	for i := range k {
		k[i] = binary.BigEndian.Uint64(sum[8*i:])
		if keep := max(0, length-64*i); keep < 64 {
			k[i] &^= ^uint64(0) >> keep
		}
	}
	return k
}

// row returns the row in which node stores peer: the number of leading digits that they share.
func (s *space) row(node, peer sim.NodeID) int { return int(s.shared[node][peer]) }

// allRows returns the set of all rows, one bit each.
func (s *space) allRows() uint64 { return 1<<s.rows - 1 }
