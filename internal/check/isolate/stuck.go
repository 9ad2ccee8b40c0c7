package isolate

import (
	"fmt"
	"maps"
	"os"
	"path"
	"runtime"
	"runtime/metrics"
	"slices"
	"strings"

	"github.com/macemc/macemc/internal/check/exitcode"
	"github.com/macemc/macemc/internal/kernel"
	"github.com/macemc/macemc/internal/kernel/contain"
	"github.com/macemc/macemc/internal/simext"
	"github.com/macemc/macemc/internal/stacks"
	"github.com/macemc/macemc/sim"
)

// Words with which a waiting process asks about the current step.
const (
	blockedWord = "blocked" // print the stack and end if the handler waits for something that the process does itself
	stackWord   = "stack"   // print the stack and end
	stuckHeader = "macemc: the handler does not return\n"
)

// stacksLine is a line with the size of all stacks and the number of goroutines. It precedes the stack, because that of a
// deep recursion, or of many goroutines, takes long to print.
const stacksLine = "macemc: stacks of %d MB, %d goroutines\n"

// answer executes a word in a process that re-executes. It does not return if it prints the stack.
func answer(word string) {
	size := stacksSize() >> 20
	switch {
	case word == stackWord:
		fmt.Fprintf(os.Stderr, stacksLine, size, runtime.NumGoroutine())
	case size >= deepStacks:
		return // to look at such stacks would stop the handler for seconds
	}
	stack, waits := handlerStack()
	if word == stackWord || word == blockedWord && waits {
		fmt.Fprint(os.Stderr, stuckHeader, stack)
		os.Exit(exitcode.Inconclusive)
	}
}

// stacksSize returns the bytes of the stacks of all goroutines.
func stacksSize() uint64 {
	sample := []metrics.Sample{{Name: "/memory/classes/heap/stacks:bytes"}}
	metrics.Read(sample)
	return sample[0].Value.Uint64()
}

// deepStacks is a size of stacks, in MB, that suggests a recursion without end, or many goroutines.
const deepStacks = 16

// manyStacks is a number of goroutines per MB of stacks that excludes a deep recursion. The stack of a new goroutine has a
// few KB.
const manyStacks = 16

// deepCalls is how often a function occurs in the innermost frames of a deep recursion. The runtime prints 50 frames.
const deepCalls = 20

// readStuck splits the output of a process that did not return: the stack, which may be missing, and a remark if a
// recursion or goroutines without end may be the cause. An overflow of the stack takes seconds, which are more than some
// time limits. hugeStacks reports that this cause is certain, although the stack is missing.
func readStuck(said string) (stack, remark string, hugeStacks bool) {
	size, goroutines := 0, 0
	if _, err := fmt.Sscanf(said, stacksLine, &size, &goroutines); err == nil {
		_, said, _ = strings.Cut(said, "\n")
	}
	stack = strings.TrimPrefix(said, stuckHeader)
	calls := map[string]int{}
	for _, g := range stacks.Read(stack) {
		for _, f := range g.Frames {
			calls[f.Function]++
		}
	}
	switch {
	case len(calls) == 0 && size >= deepStacks && goroutines >= manyStacks*size:
		hugeStacks = true
		remark = fmt.Sprintf("; with %d goroutines, it may be in a loop that starts goroutines", goroutines)
	case len(calls) == 0 && size >= deepStacks:
		hugeStacks = true
		remark = fmt.Sprintf("; with stacks of %d MB, it may be in a recursion that overflows the stack", size)
	case slices.Max(append(slices.Collect(maps.Values(calls)), 0)) >= deepCalls:
		remark = "; it is in a deep recursion, which may be one that overflows the stack"
	}
	return stack, remark, hugeStacks
}

// handlerStack returns the stack of the goroutine that executes checked code, and whether it waits for another one.
// An empty stack means none. Worlds that contain checked code call it on goroutines made for that purpose.
func handlerStack() (stack string, waits bool) {
	all := stacks.RunningAtLines()
	for i := range all {
		g := &all[i]
		if g.Creator.Function != contain.ContainedCreator {
			continue
		}
		if !g.Calls(stacks.Name(simext.AwaitProgram)) {
			return g.Text, g.Waits()
		}
		for k := range all { // find a goroutine of the program that keeps the step from ending
			if p := &all[k]; p != g && p.Bubble > 0 && !p.Durable && !p.Calls(stacks.Name(simext.HostProgram)) {
				return p.Text, false
			}
		}
		return g.Text, false
	}
	return "", false
}

// askedAt returns the file:line of the checked code in a stack; an empty string means unknown. Frames of packages sim
// and kernel between that code and its caller are skipped, even if the compiler inlined them into another package.
func askedAt(stack string) string {
	all := stacks.Read(stack)
	if len(all) == 0 {
		return ""
	}
	engine, api := stacks.Dir(kernel.NewWorld), stacks.Dir(sim.ParseFault)
	for _, f := range slices.Backward(all[0].Frames) {
		if dir := path.Dir(f.Place); dir != api && dir != engine && !strings.HasPrefix(dir, engine+"/") {
			return f.Place
		}
	}
	return ""
}
