//go:build !race

// The functions of race.go in a build without the race detector.

package runtime

func macemcHear(*g) {}

func macemcOrder() {}

func macemcAtomicCalled(*macemcCaller) {}

func macemcAtomicBegins() {}
