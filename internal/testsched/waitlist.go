package testsched

import (
	"fmt"
	"slices"
	"strings"
)

// rankOf orders goroutines in reports: first those that hold or wait for a lock that another goroutine needs, then those in user code.
func rankOf(g *Goroutine, holders map[int]bool) int {
	switch {
	case g.Holder != 0 || holders[g.Number]:
		return 0
	case g.Func != "":
		return 1
	}
	return 2
}

// maxLines is the maximum number of goroutines that a report lists.
const maxLines = 8

// WaitList describes waiting goroutines, at most maxLines, one per line. Several that are idle in the standard library share the last line.
func WaitList(all []Goroutine) (lines []string) {
	holders := map[int]bool{}
	for i := range all {
		holders[all[i].Holder] = true
	}
	all = withWriters(all)
	all, idle := separate(all, holders)
	if len(idle) > 0 {
		defer func() { lines = append(lines, idleLine(idle)) }()
	}
	for rank := range 3 {
		for i := range all {
			if g := &all[i]; len(lines) < maxLines && rankOf(g, holders) == rank {
				lines = append(lines, g.String())
			}
		}
	}
	if more := len(all) - maxLines; more > 0 {
		lines = append(lines, fmt.Sprintf("and %d more", more))
	}
	return lines
}

// withWriters returns goroutines with the writers that block their read locks. A writer that waits for readers blocks new ones. One that
// waits for another writer has a wait reason of the RWMutex's Mutex.
func withWriters(all []Goroutine) []Goroutine {
	all = slices.Clone(all)
	writers := map[uintptr]int{} // by the address of the lock
	for i := range all {
		if w := &all[i]; reason(w.Waits) == "sync.RWMutex.Lock" && w.Address != 0 {
			writers[w.Address] = w.Number
		}
	}
	for i := range all {
		if g := &all[i]; reason(g.Waits) == "sync.RWMutex.RLock" {
			g.Writer = writers[g.Address]
		}
	}
	return all
}

// separate separates goroutines that are idle in the standard library from all others, if there are at least two and others.
func separate(all []Goroutine, holders map[int]bool) (others, idle []Goroutine) {
	for _, g := range all {
		if rankOf(&g, holders) == 2 && strings.HasPrefix(g.At, standardLibrary) {
			idle = append(idle, g)
		} else {
			others = append(others, g)
		}
	}
	if len(idle) < 2 || len(others) == 0 {
		return all, nil
	}
	return others, idle
}

func idleLine(idle []Goroutine) string {
	var functions []string
	for _, g := range idle {
		if name := strings.Trim(strings.TrimPrefix(g.At, standardLibrary), " ()"); !slices.Contains(functions, name) {
			functions = append(functions, name)
		}
	}
	const most = 3
	text := fmt.Sprintf("and %d in the standard library: %s", len(idle), strings.Join(functions[:min(most, len(functions))], ", "))
	if len(functions) > most {
		text += " ..."
	}
	return text
}
