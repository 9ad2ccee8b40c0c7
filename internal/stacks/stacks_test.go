package stacks_test

import (
	"strings"
	"testing"
	"testing/synctest"

	"github.com/macemc/macemc/internal/stacks"
)

const own = "github.com/macemc/macemc/internal/stacks_test"

type waiter struct{ until chan struct{} }

//go:noinline
func (w *waiter) wait(begun chan<- struct{}) {
	close(begun)
	<-w.until
}

// A goroutine of this process is found by the name of a method that it calls.
func TestRunning(t *testing.T) {
	w, begun := &waiter{make(chan struct{})}, make(chan struct{})
	go w.wait(begun)
	<-begun
	defer close(w.until)
	name := stacks.Name((*waiter).wait)
	if !strings.HasPrefix(name, stacks.Methods[waiter]()) {
		t.Errorf("methods are named %s, this one %s", stacks.Methods[waiter](), name)
	}
	found := 0
	for _, g := range stacks.Running() {
		if !g.Calls(name) {
			continue
		}
		found++
		f := g.Frames[len(g.Frames)-1]
		if f.Function != name || f.Package() != own || !strings.HasPrefix(f.Place, stacks.Dir(TestRunning)+"/stacks_test.go:") ||
			g.Creator.Function != stacks.Name(TestRunning) || g.Bubble != 0 {
			t.Errorf("got %+v, want %s, created by TestRunning", g, name)
		}
	}
	if found != 1 {
		t.Errorf("%d goroutines call %s, want 1", found, name)
	}
}

// spin has an instruction without a source position: the jump.
//
//go:noinline
func spin(begun chan<- struct{}) {
	close(begun)
	for {
		//lint:ignore S1000 a select that is one instruction
		select {
		//lint:ignore SA5004 it is to spin
		default:
		}
	}
}

// A loop is shown at one of its lines, wherever it is interrupted.
func TestRunningAtLines_Loop(t *testing.T) {
	begun := make(chan struct{})
	go spin(begun) // until the process ends
	<-begun
	name, found := stacks.Name(spin), 0
	for range 50 {
		for _, g := range stacks.RunningAtLines() {
			for _, f := range g.Frames {
				if f.Function != name {
					continue
				}
				found++
				if strings.HasSuffix(f.Place, "_test.go:1") || !strings.Contains(g.Text, f.Place+" +0x") {
					t.Fatalf("%s in %s", f.Place, g.Text)
				}
			}
		}
	}
	if found < 50 {
		t.Errorf("found %d times, want 50 or more", found)
	}
}

// Goroutines of a bubble have its number, and those that only their bubble can wake are marked.
func TestBubble(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, begun := &waiter{make(chan struct{})}, make(chan struct{})
		go w.wait(begun)
		<-begun
		synctest.Wait()
		found := 0
		for _, g := range stacks.Running() {
			if g.Bubble == 0 || !g.Calls(stacks.Name((*waiter).wait)) {
				continue
			}
			if found++; !g.Durable || !g.Waits() || g.Status != "chan receive" {
				t.Errorf("got %+v, want a durable wait: chan receive", g)
			}
		}
		if found != 1 {
			t.Errorf("%d goroutines wait, want 1", found)
		}
		close(w.until)
	})
}

func TestRead(t *testing.T) {
	const text = `fatal error: all goroutines are asleep - deadlock!

goroutine 1 gp=0xc0 m=2 [running, locked to thread]:
panic({0x1, 0x2})
	/go/src/runtime/panic.go:1 +0x4a
slices.SortFunc[...](...)
	/go/src/slices/sort.go:7
...additional frames elided...
example.com/deep%2eer.(*Node).dig(0xc1, {0x1, 0x2})
	/home/my +0x1f files/deep/node.go:7 +0x1f fp=0x1
exit status 2

goroutine 7 [semacquire (durable), 2 minutes, synctest bubble 12]:
main.f.func1()
	/x/f.go:1 +0x1
created by main.f in goroutine 1
	/x/f.go:9 +0x2
`
	all := stacks.Read(text)
	if len(all) != 2 {
		t.Fatalf("%d goroutines, want 2: %+v", len(all), all)
	}
	g := &all[0]
	if g.Status != "running" || g.Waits() || g.Durable || g.Bubble != 0 || g.Creator != (stacks.Frame{}) || len(g.Frames) != 3 {
		t.Errorf("got %+v, want a running goroutine of 3 frames", g)
	}
	want := []stacks.Frame{
		{Function: "panic", Place: "/go/src/runtime/panic.go:1"},
		{Function: "slices.SortFunc[...]", Place: "/go/src/slices/sort.go:7"},
		{Function: "example.com/deep%2eer.(*Node).dig", Place: "/home/my +0x1f files/deep/node.go:7"},
	}
	for i, f := range g.Frames {
		if f != want[i] {
			t.Errorf("frame %d: %+v, want %+v", i, f, want[i])
		}
	}
	if pkg := g.Frames[2].Package(); pkg != "example.com/deep%2eer" {
		t.Errorf("package %s", pkg)
	}
	g = &all[1]
	if g.Status != "semacquire" || !g.Waits() || !g.Durable || g.Bubble != 12 ||
		g.Creator != (stacks.Frame{Function: "main.f", Place: "/x/f.go:9"}) || !strings.HasPrefix(g.Text, "goroutine 7 ") {
		t.Errorf("got %+v, want a durable wait in bubble 12: semacquire, created by main.f", g)
	}
}
