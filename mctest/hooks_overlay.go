//go:build macemc_overlay

package mctest

import _ "unsafe" // the runtime and package testing implement the functions without a body

// modified reports whether the program has the modified Go runtime. A system that cannot run then is a mistake.
const modified = true

// unexplored ends an exploration of the calling test by "macemc test"; the test is then executed once.
//
//go:linkname unexplored runtime.macemcRefuse
func unexplored(reason string)

// userFolder returns the folder in which the user called "macemc test".
func userFolder() string
