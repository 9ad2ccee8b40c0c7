package check_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"runtime/debug"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/macemc/macemc/internal/check"
	"github.com/macemc/macemc/internal/check/exitcode"
	"github.com/macemc/macemc/internal/check/flight"
	"github.com/macemc/macemc/internal/check/isolate"
	"github.com/macemc/macemc/internal/report"
	"github.com/macemc/macemc/internal/report/document"
	"github.com/macemc/macemc/internal/report/render"
	"github.com/macemc/macemc/netsim"
	"github.com/macemc/macemc/search"
	"github.com/macemc/macemc/sim"
)

// mean is a service that harms its process if the second of two messages arrives before the first.
type mean struct {
	sim.Nop
	harm string
	Got  []int
	Slip bool
	kept [][]byte
}

func (m *mean) Receive(env sim.Env, _ sim.NodeID, msg any) {
	if len(m.Got) == 0 && msg.(int) == 2 {
		m.do(0)
	}
	m.Got = append(m.Got, msg.(int))
}

func (m *mean) Boot(sim.Env) {
	switch m.harm {
	case "stop": // the first process
		if marker, err := os.OpenFile(os.Getenv(markerVar), os.O_CREATE|os.O_EXCL, 0o600); err == nil {
			marker.Close()
			syscall.Kill(os.Getpid(), syscall.SIGSTOP)
		}
		os.Exit(7)
	case "boot":
		os.Exit(7)
	}
}

func (m *mean) do(depth int) int {
	switch m.harm {
	case "overflow":
		return m.do(depth+1) + 1
	case "exit":
		os.Exit(0)
	case "once", "kill once": // the first process only
		if marker, err := os.OpenFile(os.Getenv(markerVar), os.O_CREATE|os.O_EXCL, 0o600); err == nil {
			marker.Close()
			if m.harm == "once" {
				os.Exit(7)
			}
			syscall.Kill(os.Getpid(), syscall.SIGKILL)
			select {}
		}
	case "twice": // the first process, and the first one that executes the run again
		for _, n := range []string{"1", "2"} {
			if marker, err := os.OpenFile(os.Getenv(markerVar)+n, os.O_CREATE|os.O_EXCL, 0o600); err == nil {
				marker.Close()
				os.Exit(7)
			}
		}
	case "searching": // each process that searches
		if os.Getenv("MACEMC_ROLE") != "reexecute" {
			os.Exit(7)
		}
	case "exit later": // the first process that executes the run again seems to do nothing
		if os.Getenv("MACEMC_ROLE") == "reexecute" {
			if marker, err := os.OpenFile(os.Getenv(markerVar), os.O_CREATE|os.O_EXCL, 0o600); err == nil {
				marker.Close()
				os.Stderr.Close()
				for i := 0; ; i++ {
					depth ^= i
				}
			}
		}
		os.Exit(7)
	case "memory":
		for {
			m.kept = append(m.kept, bytes.Repeat([]byte{1}, 1<<24))
		}
	case "loop":
		for i := 0; ; i++ {
			depth ^= i
		}
	case "block":
		<-make(chan int)
	case "goroutine":
		go func() { panic("in a goroutine") }()
	}
	return depth
}

// meanSystem lets its nodes rest if harm ends in "+rest". If it ends in "+slip", a node can violate a property
// earlier.
func meanSystem(harm string) sim.System {
	switch harm {
	case "slow":
		return slowOrEndless(new(atomic.Bool))
	case "walks":
		return hangsLater()
	case "naps":
		return nappingSystem()
	case "apart":
		return apartSystem()
	case "written":
		return writtenSystem()
	case "network":
		sys := meanSystem("none")
		sys.Network = deafNetwork{netsim.Datagrams{}}
		return sys
	}
	if where, ok := strings.CutPrefix(harm, "in "); ok {
		return placed(where)
	}
	if at, ok := strings.CutPrefix(harm, "at "); ok {
		where, what, _ := strings.Cut(at, "/")
		return methodsSystem(where, what)
	}
	harm, rests := strings.CutSuffix(harm, "+rest")
	harm, slips := strings.CutSuffix(harm, "+slip")
	sys := sim.System{
		Name:    "mean",
		Nodes:   2,
		Network: netsim.Datagrams{},
		New:     func(sim.NodeID) sim.Service { return &mean{harm: harm} },
		Actions: []sim.AnyAction{sim.Action[*mean]{
			Name: "send", Times: 1, At: func(id sim.NodeID) bool { return id == 0 },
			Do: func(_ *mean, env sim.Env) { env.Send(1, 1); env.Send(1, 2) },
		}},
		Properties: []sim.Property{{Name: "true", Always: func(*sim.View) bool { return true }}},
	}
	if slips {
		sys.Properties = append(sys.Properties, sim.Property{Name: "nobody slips", Always: sim.Each(func(_ sim.NodeID, m *mean) bool { return !m.Slip })})
		sys.Actions = append(sys.Actions, sim.Action[*mean]{Name: "slip", Times: 1, Do: func(m *mean, _ sim.Env) { m.Slip = true }})
	}
	if where, deep := strings.CutPrefix(harm, "deep "); deep {
		deepen(&sys, where)
	}
	if rests {
		sys.Actions = append(sys.Actions, sim.Action[*mean]{Name: "rest", Times: 1, Do: func(*mean, sim.Env) {}})
	}
	return sys
}

const (
	harmVar   = "CHECK_TEST_HARM"
	markerVar = "CHECK_TEST_MARKER"
)

// TestHarmedProcess is the process that searches, or executes a run again, for other tests.
func TestHarmedProcess(t *testing.T) {
	role, err := isolate.CurrentRole()
	if err != nil {
		t.Fatal(err)
	}
	if !role.Searching() && !role.Reexecuting() {
		t.Skip("only for other tests")
	}
	sys := meanSystem(os.Getenv(harmVar))
	// Small limits are reached soon.
	debug.SetMaxStack(1 << 24)
	role.Recorder.Set(flight.Memory, isolate.LimitProcess(1<<28))
	ctx, stop := context.WithCancelCause(context.Background())
	role.Follow(stop)
	switch {
	case role.Reexecuting():
		if os.Getenv(harmVar) == slowStart {
			time.Sleep(3 * time.Second)
			sys.New = func(sim.NodeID) sim.Service { return slowBoot{} }
		}
		isolate.Reexecute(&sys, role.Recorder)
		role.Recorder.End(0)
		os.Exit(0)
	case role.Searching():
		o := testOptions(sys)
		role.Record(&o.Search)
		rep, err := check.Run(ctx, o)
		if errors.Is(err, isolate.ErrLost) {
			role.Resign()
		}
		if err != nil {
			t.Fatal(err)
		}
		render.JSON(os.Stdout, document.New(rep, nil))
		status := exitcode.Of(rep.Verdict, context.Cause(ctx))
		role.Recorder.End(status)
		os.Exit(status)
	}
}

// slowStart makes a process begin late to execute, and boot slowly.
const slowStart = "start slowly"

type slowBoot struct{ sim.Nop }

func (slowBoot) Boot(sim.Env) { time.Sleep(300 * time.Millisecond) }

// handlerLimit is short only for harm that must exceed it, because a busy machine detects other harm slowly.
func handlerLimit(harm string) time.Duration {
	switch {
	case strings.HasPrefix(harm, "loop"), strings.HasSuffix(harm, "/loop"), harm == "exit later":
		return 100 * time.Millisecond
	case harm == "block":
		return 500 * time.Millisecond
	}
	return 3 * time.Second
}

func testOptions(sys sim.System) check.Options {
	o := check.Options{
		Search: search.Config{
			System: sys, Time: 10 * time.Minute, MaxDepth: 20, Workers: 1, HandlerLimit: handlerLimit(os.Getenv(harmVar)),
		},
		Respawn: harmed(os.Getenv(harmVar)),
		Dir:     os.Getenv("CHECK_TEST_DIR"),

		KeepGoing: strings.HasSuffix(os.Getenv(harmVar), "+slip"),
	}
	visitAs(os.Getenv(statesVar), &o.Search)
	small(os.Getenv(harmVar), &o.Search)
	timeOf(&o.Search)
	return o
}

func harmed(harm string) func() *exec.Cmd {
	return func() *exec.Cmd {
		cmd := exec.Command(os.Args[0], "-test.run=^TestHarmedProcess$", "-test.count=1")
		cmd.Env = append(os.Environ(), harmVar+"="+harm)
		return cmd
	}
}

// supervise searches a system whose handlers do harm, in another process. It returns what that process wrote.
func supervise(ctx context.Context, harm string) (out isolate.Outcome, stdout, stderr string, err error) {
	var o, e bytes.Buffer
	s := isolate.Supervisor{Respawn: harmed(harm), Stdout: &o, Stderr: &e, Workers: 1, HandlerLimit: handlerLimit(harm)}
	out, err = s.Run(ctx)
	return out, o.String(), e.String(), err
}

// decoded decodes the report that a supervised search wrote.
func decoded(t *testing.T, stdout, stderr string) *report.Report {
	t.Helper()
	r := new(report.Report)
	if err := json.Unmarshal([]byte(stdout), r); err != nil {
		t.Fatalf("%v: %s%s", err, stdout, stderr)
	}
	return r
}
