package isolate

import (
	"fmt"
	"os"
	"path"
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
	stuckMark   = "macemc: the handler does not return\n"
)

// answer executes a word in a process that re-executes. It does not return if it prints the stack.
func answer(word string) {
	stack, waits := handlerStack()
	if word == stackWord || word == blockedWord && waits {
		fmt.Fprint(os.Stderr, stuckMark, stack)
		os.Exit(exitcode.Inconclusive)
	}
}

// handlerStack returns the stack of the goroutine that executes checked code, and whether it waits for another one.
// An empty stack means that there is none. Worlds that contain checked code call it on goroutines made for that
// purpose.
func handlerStack() (stack string, waits bool) {
	all := stacks.Running()
	for i := range all {
		g := &all[i]
		if g.Creator.Function != contain.ContainedCreator {
			continue
		}
		if !g.Calls(stacks.Name(simext.AwaitProgram)) {
			return g.Text, g.Waits()
		}
		for k := range all { // find a goroutine of the program that keeps the step from ending
			if p := &all[k]; p.Bubble > 0 && !p.Durable && !p.Calls(stacks.Name(simext.HostProgram)) {
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
