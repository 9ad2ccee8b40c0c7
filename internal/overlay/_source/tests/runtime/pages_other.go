// Systems without a known way to track writes.

//go:build !linux

package runtime

type macemcTracker struct{}

func (t *macemcTracker) open() bool { return false }

func (t *macemcTracker) register(_, _ uintptr) bool { return false }

func (t *macemcTracker) protect(_, _ uintptr) bool { return false }

func (t *macemcTracker) written(_, _ uintptr, _ func(from, to uintptr) bool) bool { return false }
