package encoding

import "github.com/cespare/xxhash/v2"

// halves separates the seeds of the two halves of a fingerprint (2^64 divided by the golden ratio).
const halves = 0x9E3779B97F4A7C15

// Hash returns the 128-bit hash of an encoding: two 64-bit xxhashes with different seeds. It is the same in every
// process. Hash does not allocate.
func Hash(seed uint64, enc []byte) Fingerprint {
	var d xxhash.Digest
	d.ResetWithSeed(seed)
	d.Write(enc)
	hi := d.Sum64()
	d.ResetWithSeed(seed ^ halves)
	d.Write(enc)
	return Fingerprint{hi, d.Sum64()}
}
