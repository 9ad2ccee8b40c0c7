package pastry

import (
	"math/big"
	"testing"

	"pgregory.net/rapid"
)

// number returns the value of k as 192 bits, of which keys use the high 160.
func number(k Key) *big.Int {
	n := new(big.Int)
	for _, w := range k {
		n.Lsh(n, 64).Or(n, new(big.Int).SetUint64(w))
	}
	return n
}

func anyKey(t *rapid.T, name string) Key {
	word := rapid.OneOf(rapid.Uint64(), rapid.SampledFrom([]uint64{0, 1, 1 << 63, ^uint64(0)}))
	return Key{word.Draw(t, name), word.Draw(t, name), word.Draw(t, name) &^ (1<<32 - 1)}
}

func TestKeyArithmetic(t *testing.T) {
	ring := new(big.Int).Lsh(big.NewInt(1), 192)
	half := new(big.Int).Rsh(ring, 1)
	rapid.Check(t, func(t *rapid.T) {
		k, l := anyKey(t, "k"), anyKey(t, "l")
		d := new(big.Int).Sub(number(k), number(l))
		d.Mod(d, ring)
		if got := number(k.Minus(l)); got.Cmp(d) != 0 {
			t.Fatalf("%v - %v = %x, want %x", k, l, got, d)
		}
		if got, want := k.Less(l), number(k).Cmp(number(l)) < 0; got != want {
			t.Fatalf("%v < %v: %v", k, l, got)
		}
		if got, want := k.Minus(l).overflown(), d.Cmp(half) >= 0; got != want {
			t.Fatalf("%x is at least half the ring: %v", d, got)
		}
		if d.Cmp(half) > 0 {
			d.Sub(ring, d)
		}
		if got := number(apart(k, l)); got.Cmp(d) != 0 {
			t.Fatalf("%v and %v are %x apart, want %x", k, l, got, d)
		}
	})
}

func TestDigits(t *testing.T) {
	k := Key{0x0123456789abcdef, 0xfedcba9876543210, 0x1337beef << 32}
	for i, want := range []int{0, 1, 2, 3} {
		if got := k.digit(i, 4); got != want {
			t.Errorf("digit %d is %x, want %x", i, got, want)
		}
	}
	if got := k.digit(39, 4); got != 0xf {
		t.Errorf("the last digit is %x", got)
	}
	if a, b := k.digit(1, 8), k.digit(8, 8); a != 0x23 || b != 0xfe {
		t.Errorf("digits of 8 bits are %x, %x", a, b)
	}
	for bit := range keyBits {
		l := k
		l[bit/64] ^= 1 << (63 - bit%64)
		if got := k.sharedBits(l); got != bit {
			t.Fatalf("%d bits are shared, want %d", got, bit)
		}
	}
	if got := k.sharedBits(k); got != keyBits {
		t.Errorf("a key shares %d bits with itself", got)
	}
}

// Keys differ, also if the space is almost full, and short keys are the first bits of long ones.
func TestNewSpace(t *testing.T) {
	long, err := newSpace(64, 160, 4, 16, 7)
	if err != nil {
		t.Fatal(err)
	}
	for _, length := range []int{8, 32, 72, 136, 160} {
		s, err := newSpace(64, length, 4, 16, 7)
		if err != nil || s.rows != length/4 || s.half != 8 {
			t.Fatalf("%d bits: %d rows, half %d, %v", length, s.rows, s.half, err)
		}
		seen := map[Key]bool{}
		for i, k := range s.keys {
			seen[k] = true
			if length > 8 && k.sharedBits(long.keys[i]) < length {
				t.Errorf("%d bits: key %d is %v", length, i, k)
			}
			for bit := length; bit < 192; bit++ {
				if k[bit/64]>>(63-bit%64)&1 == 1 {
					t.Fatalf("%d bits: bit %d of %x is set", length, bit, k)
				}
			}
		}
		if len(seen) != 64 {
			t.Errorf("%d bits: %d different keys", length, len(seen))
		}
	}
	if _, err := newSpace(3, 30, 4, 16, 0); err == nil || err.Error() != "keys of 30 bits cannot be divided into digits of 4 bits" {
		t.Errorf("error %v", err)
	}
}
