// System calls that are not explored.

package syscall

func macemcTested() bool
func macemcRefuse(reason string)
