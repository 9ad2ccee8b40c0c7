// Random numbers of crypto/rand come from the changed runtime.

package sysrand

func macemcDrawn() (x uint64, ok bool)

// macemcRead fills b with random numbers of the calling goroutine. It returns false outside nodes, explored tests and package
// initialization.
func macemcRead(b []byte) bool {
	for i := range b {
		x, ok := macemcDrawn()
		if !ok {
			return false
		}
		b[i] = byte(x)
	}
	return len(b) > 0
}
