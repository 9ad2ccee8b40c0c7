// Examples with an output, which are explored as tests are.

package testing

import (
	"context"
	"fmt"
	"internal/abi"
	program "internal/types"
	"io"
	"os"
	"runtime"
	"slices"
	"strings"
	"syscall"
)

// macemcExampleOutput is the standard output of the latest run of an example.
var macemcExampleOutput *os.File

// macemcExampleCallers are the callers of an example in go test, innermost first.
var macemcExampleCallers []uintptr

// macemcExamples runs examples as explored tests. Their output goes to a file, because a pipe would need a goroutine outside the test. Each
// run has a descriptor of its own for it, which the example may close. As with go test, each example runs once, even after failures.
func macemcExamples(matchString func(pat, str string) (bool, error), examples []InternalExample) (ran, ok bool) {
	out, err := os.CreateTemp("", "macemc-example-*")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return true, false
	}
	defer out.Close()
	os.Remove(out.Name())
	pcs := make([]uintptr, 16)
	macemcExampleCallers = append([]uintptr{abi.FuncPCABIInternal(runExample) + 1}, pcs[:runtime.Callers(2, pcs)]...)
	ctx, cancel := context.WithCancel(context.Background())
	all := &T{
		common: common{signal: make(chan bool, 1), barrier: make(chan bool), w: os.Stdout, ctx: ctx, cancelCtx: cancel},
		tstate: newTestState(*parallel, newMatcher(matchString, *match, "-test.run", *skip)),
	}
	if Verbose() {
		all.chatty = newChattyPrinter(all.w)
	}
	tRunner(all, func(t *T) {
		for _, eg := range examples {
			numFailed.Store(0) // -failfast applies only to tests
			macemcExample = eg.F
			t.Run(eg.Name, func(t *T) { eg.macemcRun(t, out) })
		}
	})
	<-all.signal
	macemcExample = nil
	return all.ran, !all.Failed()
}

// macemcRun executes the example as a test. If the run does not return, [macemcExplorer] restores os.Stdout.
func (eg *InternalExample) macemcRun(t *T, out *os.File) {
	macemcExampleStack(abi.FuncPCABIInternal((*InternalExample).macemcRun), macemcExampleCallers)
	defer macemcExampleStack(0, nil)
	stdout := os.Stdout
	defer func() { os.Stdout = stdout }()
	out.Truncate(0)
	out.Seek(0, io.SeekStart)
	macemcExampleOutput.Close() // of a run that has not returned
	fd, err := syscall.Dup(int(out.Fd()))
	if err != nil {
		t.Fatal(err)
	}
	macemcExampleOutput = os.NewFile(uintptr(fd), "|1")
	os.Stdout = macemcExampleOutput
	eg.F()
	os.Stdout = stdout
	macemcExampleOutput.Close()
	text, err := io.ReadAll(io.NewSectionReader(out, 0, 1<<40))
	if err != nil {
		t.Fatal(err)
	}
	got, want, order := strings.TrimSpace(string(text)), strings.TrimSpace(eg.Output), ""
	same := got == want
	if eg.Unordered {
		order = " (unordered)"
		same = slices.Equal(slices.Sorted(strings.SplitSeq(got, "\n")), slices.Sorted(strings.SplitSeq(want, "\n")))
	}
	if !same {
		fmt.Fprintf(t.Output(), "got:\n%s\nwant%s:\n%s\n", got, order, want)
		macemcLogged(fmt.Sprintf("the output is %q, want %q%s", got, want, order))
		t.Fail()
		if macemcFailed == &t.common {
			macemcFailure = program.OneLine(fmt.Sprintf("the output is %q, want %q%s", got, want, order))
		}
	}
}
