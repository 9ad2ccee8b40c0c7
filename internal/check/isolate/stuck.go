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

// A process that waits for another one asks it with these words what it is doing.
const (
	blockedWord = "blocked" // tell, and end, if the handler waits for something that the process does itself
	stackWord   = "stack"   // tell, and end
	stuckMark   = "macemc: the handler does not return\n"
)

// answer does what a process that re-executes is asked for by word; it does not return if that is to tell.
func answer(word string) {
	stack, waits := handlerStack()
	if word == stackWord || word == blockedWord && waits {
		fmt.Fprint(os.Stderr, stuckMark, stack)
		os.Exit(exitcode.Inconclusive)
	}
}

// handlerStack returns the stack of the goroutine that executes checked code, and whether that waits for another one; "" if there
// is none. Worlds that contain it call it on goroutines that they make for that.
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
		for k := range all { // for one of the program that keeps the step from ending
			if p := &all[k]; p.Bubble > 0 && !p.Durable && !p.Calls(stacks.Name(simext.HostProgram)) {
				return p.Text, false
			}
		}
		return g.Text, false
	}
	return "", false
}

// askedAt returns the file:line of checked code whose stack that is; "" if it is not known. What packages sim and kernel have between that
// and their own caller is left out, also where the compiler made it a part of another package.
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
