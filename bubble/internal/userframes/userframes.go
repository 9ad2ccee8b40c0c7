// Package userframes selects and describes the frames of a program in stacks: those outside of the Go distribution and of packages bubble
// and crashtest.
package userframes

import (
	"fmt"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"github.com/macemc/macemc/internal/simext"
	"github.com/macemc/macemc/internal/stacks"
	"github.com/macemc/macemc/internal/testsched/program"
)

// Is reports whether a frame belongs to a program. Tests of packages bubble and crashtest are programs, too.
func Is(f runtime.Frame) bool {
	return !program.Standard(f) && (!ofChecker(f.Function) || strings.HasSuffix(f.File, "_test.go"))
}

func ofChecker(function string) bool {
	own := []string{"bubble.", "bubble/internal/filesystem.", "bubble/internal/filetree.", "bubble/internal/waitqueue.", "crashtest."}
	rest, ok := strings.CutPrefix(function, "github.com/macemc/macemc/")
	return ok && slices.ContainsFunc(own, func(prefix string) bool { return strings.HasPrefix(rest, prefix) })
}

// Of returns the frames of a program, innermost first.
func Of(frames []stacks.Frame) (own []runtime.Frame) {
	for _, f := range frames {
		file, line, _ := strings.Cut(f.Place, ":")
		n, _ := strconv.Atoi(line)
		if r := (runtime.Frame{Function: f.Function, File: file, Line: n}); Is(r) {
			own = append(own, r)
		}
	}
	return own
}

// Describe describes goroutines: how many wait, for what, and at which place of the program. [simext.BetweenGoroutines] separates the
// groups.
func Describe(all []stacks.Goroutine) string {
	count := map[string]int{}
	for _, g := range all {
		if g.Status == Held {
			count[Pauses(g)]++
		} else {
			count[waits(g)+" "+Where(g.Frames)]++
		}
	}
	var texts []string
	for text, k := range count {
		if k > 1 {
			text = fmt.Sprintf("%d x %s", k, text)
		}
		texts = append(texts, text)
	}
	slices.Sort(texts)
	if len(texts) == 0 {
		return simext.NoGoroutines
	}
	return strings.Join(texts, simext.BetweenGoroutines)
}

// waits describes what a goroutine waits for: the function that the program calls, such as net.(*conn).Read, unless that is an operation on
// a channel, a lock or a timer.
func waits(g stacks.Goroutine) string {
	k := slices.IndexFunc(g.Frames, func(f stacks.Frame) bool { return len(Of([]stacks.Frame{f})) > 0 })
	if k < 1 {
		return g.Status
	}
	switch called := g.Frames[k-1]; called.Package() {
	case "runtime", "sync", "time", "internal/sync", "internal/synctest":
		return g.Status
	default:
		return path.Base(called.Function)
	}
}

// Held is the status of a goroutine that the schedule holds back until the next step of its node.
const Held = "held back until the next step"

// Pauses describes such a goroutine.
func Pauses(g stacks.Goroutine) string {
	who := "a goroutine"
	if g.Number > 0 {
		who = fmt.Sprintf("goroutine %d", g.Number)
	}
	return who + simext.Pauses + strings.TrimPrefix(Where(g.Frames), "at ")
}

// Where describes the innermost frame of the program, as in "at pool.go:12 in (*pool).take".
func Where(frames []stacks.Frame) string {
	own := Of(frames)
	if len(own) == 0 {
		return simext.InLibrary
	}
	f := own[0]
	name := f.Function[strings.LastIndexByte(f.Function, '/')+1:]
	if _, function, ok := strings.Cut(name, "."); ok {
		name = function
	}
	return fmt.Sprintf("at %s:%d in %s", filepath.Base(f.File), f.Line, name)
}

// Text formats frames of a program as one line.
func Text(own []runtime.Frame) string {
	if len(own) == 0 {
		return ", called by the standard library"
	}
	var b strings.Builder
	for i, f := range own {
		b.WriteString([]string{" at ", ", called at "}[min(i, 1)])
		fmt.Fprintf(&b, "%s:%d %s", filepath.Base(f.File), f.Line, filepath.Base(f.Function))
	}
	return b.String()
}

// Running returns the goroutines of the program that runs in a bubble. write writes the stacks of the goroutines of a bubble into buf, in
// the format of the Go runtime, and returns their length.
func Running(bubble uint64, write func(bubble uint64, buf []byte) int) (own []stacks.Goroutine) {
	buf := make([]byte, 16<<10)
	for {
		if used := write(bubble, buf); used < len(buf) {
			buf = buf[:used]
			break
		}
		buf = make([]byte, 2*len(buf))
	}
	host := stacks.Name(simext.HostProgram)
	for _, g := range stacks.Read(string(buf)) {
		if g.Bubble == bubble && !g.Calls(host) {
			own = append(own, g)
		}
	}
	return own
}
