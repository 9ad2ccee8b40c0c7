//go:build !race

// The functions of race.go in a build without the race detector.

package sync

const macemcRaced = false

func macemcLockCalled(uintptr) {}

func macemcCallBegin(uintptr) {}

func macemcCallEnd() {}
