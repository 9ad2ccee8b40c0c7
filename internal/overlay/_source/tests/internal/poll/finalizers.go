// Finalizers of files that goroutines used when they ended with a run.

package poll

import _ "unsafe"

//go:linkname macemcFinalizes runtime.macemcFinalizes
func macemcFinalizes() bool
