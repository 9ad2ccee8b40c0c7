// Systems without a known way to track writes.

//go:build !linux

package runtime

type macemcTracker struct{}

func (t *macemcTracker) begin([]macemcPageRange) bool { return false }

func (t *macemcTracker) written(_, _ uintptr, _ func(from, to uintptr)) bool { return false }
