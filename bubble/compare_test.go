//go:build macemc_overlay

package bubble

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/macemc/macemc/bubble/internal/userframes"
	"github.com/macemc/macemc/netsim"
	"github.com/macemc/macemc/search"
	"github.com/macemc/macemc/sim"
)

// executions counts state that the programs below share by mistake. fixed never changes and must not be reported as a cause.
var executions, fixed = 0, 1

// logsCount logs a different text in each execution.
func logsCount(_ context.Context, h *Host) error {
	executions += fixed
	h.Log().Info("executed", "times", executions)
	return nil
}

// logsElsewhere logs its text at one of two places, in different goroutines.
func logsElsewhere(_ context.Context, h *Host) error {
	if executions++; executions%2 == 0 {
		h.Log().Info("here")
		return nil
	}
	done := make(chan bool)
	go func() {
		h.Log().Info("there")
		close(done)
	}()
	<-done
	return nil
}

// observesCount shows a value that differs between executions, and waits at a place that depends on it.
func observesCount(_ context.Context, h *Host) error {
	executions++
	odd := executions%2 == 1
	h.Observe(func() any { return odd })
	if odd {
		return waitsOdd()
	}
	select {}
}

func waitsOdd() error { select {} }

// A program with equal effects that shows different values is such a finding, too.
func TestCompare_Observed(t *testing.T) {
	executions = 0
	res, err := search.Run(t.Context(), search.Config{HandlerLimit: time.Minute, MaxPaths: 100, Workers: 1, Seed: 1, System: sim.System{
		Name: "observed", Nodes: 1, State: Rules, Network: netsim.Datagrams{},
		New:        func(sim.NodeID) sim.Service { return Service(observesCount) },
		Properties: []sim.Property{{Name: "any", Always: func(*sim.View) bool { return true }}},
	}})
	if err != nil || res.Finding == nil || res.Finding.Kind != sim.Nondeterminism || res.Finding.Difference == nil {
		t.Fatalf("%v, %+v; want nondeterminism", err, res)
	}
	wantParts(t, strings.Join(res.Finding.Difference.Details, "\n"), []string{"Observe returned true in one execution and false in the other",
		"goroutines in one execution: select (no cases) at compare_test.go:", "in waitsOdd", "goroutines in the other execution: select (no cases) at compare_test.go:",
		"in observesCount", "package variables there: executions"})
}

var unequal = []struct {
	program Main
	want    []string
}{
	{logsCount, []string{"in both executions goroutine 3 logs at compare_test.go:", "bubble.logsCount, with other content", "package variables there: executions"}},
	{logsElsewhere, []string{"goroutine 3 logs at compare_test.go:", "bubble.logsElsewhere", "goroutine 4 logs at compare_test.go:", "bubble.logsElsewhere.func1", "package variables there: executions"}},
}

// A program that behaves differently when it is executed again is a finding that names the goroutine, the place and package variables.
func TestCompare_Search(t *testing.T) {
	for _, c := range unequal {
		executions = 0
		res, err := search.Run(t.Context(), search.Config{HandlerLimit: time.Minute, MaxPaths: 100, Workers: 1, Seed: 1, System: sim.System{
			Name: "unequal", Nodes: 1, State: Rules, Network: netsim.Datagrams{},
			New:        func(sim.NodeID) sim.Service { return Service(c.program) },
			Properties: []sim.Property{{Name: "any", Always: func(*sim.View) bool { return true }}},
		}})
		if err != nil || res.Finding == nil || res.Finding.Kind != sim.Nondeterminism || res.Finding.Difference == nil {
			t.Fatalf("%v, %+v; want nondeterminism", err, res)
		}
		wantParts(t, strings.Join(res.Finding.Difference.Details, "\n"), c.want)
	}
}

// The same holds for an evicted node whose history is executed again.
func TestCompare_Resume(t *testing.T) {
	for _, c := range unequal {
		executions = 0
		p := &history{program: c.program}
		in := &input{kind: bootInput, boot: &boot{nodes: 1}}
		if err := p.extend(in, func(n *node) { n.perform(in, c.program) }); err != nil {
			t.Fatal(err)
		}
		p.run = nil
		stepping.Lock()
		_, err := p.resume()
		stepping.Unlock()
		if err == nil {
			t.Fatal("no difference")
		}
		wantParts(t, err.Error(), c.want)
	}
}

func wantParts(t *testing.T, text string, parts []string) {
	t.Helper()
	missing := slices.DeleteFunc(slices.Clone(parts), func(part string) bool { return strings.Contains(text, part) })
	if len(missing) > 0 || strings.Contains(text, "fixed") {
		t.Errorf("%q lacks %q, or says that a variable that nobody changes matters", text, missing)
	}
}

// The stack of an effect that a node makes by itself, not through its program, has no frames of the handler.
func TestStackOf_WithoutHandler(t *testing.T) {
	stepping.Lock()
	defer stepping.Unlock()
	n := start(boot{nodes: 1})
	defer n.discard()
	n.perform(&input{kind: bootInput, boot: &boot{nodes: 1}}, func(ctx context.Context, _ *Host) error { <-ctx.Done(); return nil })
	n.perform(&input{kind: messageInput, msg: Message{Kind: Dial, To: 80}}, nil)
	if len(n.effects) != 1 || n.effects[0].msg.Kind != Refuse {
		t.Fatalf("effects %v, want that the connection is refused", n.effects)
	}
	if own := stackOf(n.effects[0].stack); len(own) > 0 {
		t.Errorf("the stack is %s, want no frames", userframes.Text(own))
	}
}
