//go:build macemc_overlay

package bubble

import (
	"flag"
	"fmt"
	"os"
	"runtime"
	"slices"
	"strings"
	"testing"
	"unsafe"

	"github.com/macemc/macemc/internal/simext"
)

// padded is the value of a flag. Each process has a copy of flags. The padding looks like a pointer to the lock that serializes steps.
type padded struct {
	_    *int
	last uint8
}

func (*padded) String() string   { return "" }
func (*padded) Set(string) error { return nil }

var _ = func() bool {
	v := new(padded)
	*(*uintptr)(unsafe.Pointer(&v.last)) = uintptr(unsafe.Pointer(stepping))
	flag.Var(v, "bubble.padded", "of a test")
	return true
}()

// Output of a process is shown by line and by step.
func TestCommand_Print(t *testing.T) {
	p := Command(func() {
		fmt.Print("a\nb")
		fmt.Fprintln(os.Stderr, "c")
		fmt.Print("d")
		os.Exit(1)
	}, nil, nil).(*Program).goroutines
	p.command.pkg = "github.com/macemc/macemc/bubble_test." // other tests run this package, too
	stepping.Lock()
	defer stepping.Unlock()
	runtime.GOMAXPROCS(1)
	if err := p.command.saveInitial(); err != nil {
		t.Fatal(err)
	}
	other := &command{pkg: "github.com/macemc/macemc/bubble."}
	if err := other.saveInitial(); err == nil ||
		!strings.Contains(err.Error(), "package variables of github.com/macemc/macemc/bubble would be shared") {
		t.Errorf("a main function of another package: error %v", err)
	}
	n := start(boot{nodes: 1, command: p.command})
	defer n.discard()
	n.perform(&input{kind: bootInput, boot: &boot{nodes: 1, command: p.command}}, p.program)
	var got []string
	for _, e := range n.effects {
		got = append(got, e.text)
	}
	if want := []string{"stdout: a", "stderr: c", "stdout: bd"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	if n.host.ended != "exit status 1" {
		t.Errorf("ended %q", n.host.ended)
	}
	end := strings.Join([]string{"ended: exit status 1", "stdout: a", "stderr: c", "stdout: bd"}, simext.BetweenGoroutines)
	if got := n.show(); got != end {
		t.Errorf("shown as %q, want %q", got, end)
	}
}
