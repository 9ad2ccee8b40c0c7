//go:build macemc_overlay

package mctest

import _ "unsafe" // the runtime pushes what has no body here

// unexplored ends the exploration of the calling test by "macemc test", if there is one: the test is executed once instead.
func unexplored(reason string)
