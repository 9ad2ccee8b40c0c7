package macetime

import (
	"encoding/binary"
	"math"
	"time"
)

// bound is an upper bound on the difference of two instants x-y: "less than c" is 2c, "at most c" is 2c+1. The smaller
// of two bounds is the tighter.
type bound int64

const (
	unbounded bound = math.MaxInt64
	notAfter  bound = 1 // at most 0

	maxSpan = 1 << 61 // nanoseconds, 73 years; spans saturate at it
)

func lessThan(c int64) bound { return bound(c) << 1 }
func atMost(c int64) bound   { return bound(c)<<1 | 1 }

// plus returns the bound of x-z, where b bounds x-y and c bounds y-z.
func (b bound) plus(c bound) bound {
	if b == unbounded || c == unbounded {
		return unbounded
	}
	sum := int64(b>>1) + int64(c>>1) // cannot overflow
	if sum > maxSpan {
		return unbounded
	}
	return bound(max(sum, -maxSpan))<<1 | b&c&1
}

func (b bound) append(dst []byte) []byte {
	if b == unbounded {
		return append(dst, 0)
	}
	return binary.AppendUvarint(dst, 1+(uint64(b)<<1^uint64(b>>63)))
}

// span returns to-from.
func span(from, to time.Duration) int64 {
	d := int64(to) - int64(from)
	if (to > from) != (d > 0) && to != from { // overflow
		d = math.MaxInt64
		if to < from {
			d = math.MinInt64
		}
	}
	return min(max(d, -maxSpan), maxSpan)
}
