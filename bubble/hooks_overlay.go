//go:build macemc_overlay

package bubble

import _ "unsafe" // the runtime and package net push what has no body here

const hooked = true

func begin(*control)
func end()
func next() int64
func run(f func())
func kill()
func spin()
func yield()
func quiet(d int32)
func heir(bubble, gid, since uint64) bool
func abort(bubble uint64)
func enter() (bubble uint64)
func id() uint64
func callers(buf []uintptr) int
func reason(why uint8) string

// network lets package net use the network of the node that the calling goroutine belongs to.
func network(system)

// unexplored ends the exploration of the calling test by "macemc test", if there is one: the test is executed once instead.
func unexplored(reason string)
