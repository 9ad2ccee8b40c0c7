package facts

import (
	"fmt"
	"maps"
	"os"
	"slices"
)

// fact observes one property of the machine. Its text is the same on each run of a machine.
type fact func() any

// All returns the facts by name. It takes seconds of the program's clock.
func All() map[string]string {
	seen := map[string]string{}
	for _, part := range []map[string]fact{ofFiles, ofProcess, ofTime, ofSockets, ofPackets, ofUnix, ofHTTP} {
		for _, name := range slices.Sorted(maps.Keys(part)) {
			seen[name] = observe(part[name])
		}
	}
	for _, dir := range socketFolders {
		os.RemoveAll(dir)
	}
	return seen
}

func observe(f fact) (text string) {
	defer func() {
		if v := recover(); v != nil {
			text = fmt.Sprint("panic: ", v)
		}
	}()
	return fmt.Sprint(f())
}

// must returns a value, or panics.
func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}
