// The wall clock of a node, which may jump, and monotonic readings of the clocks of nodes and tests.

package time

func macemcAhead() (ahead, began int64)

// macemcNow replaces runtimeNow. Readings in nodes and tests have a monotonic part, as outside of bubbles. It begins with 1.
func macemcNow() (sec int64, nsec int32, mono int64) {
	sec, nsec, mono = runtimeNow()
	wall := sec*1e9 + int64(nsec)
	ahead, began := macemcAhead()
	if began != 0 {
		mono = wall - began + 1 + startNano
	}
	if ahead != 0 {
		wall += ahead
		sec, nsec = wall/1e9, int32(wall%1e9)
	}
	return sec, nsec, mono
}
