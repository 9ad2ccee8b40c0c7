//go:build !linux

// On other systems, memory outside the heap is not restored.

package runtime

func macemcAddMappings(st *macemcStateType) {}

func macemcRestoreMappings() {}
