// Random numbers of this package come from the changed runtime.

package os

func macemcRand() uint64
