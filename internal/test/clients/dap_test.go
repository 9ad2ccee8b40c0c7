// Package clients lets clients of other projects use the servers of macemc. It is a module of its own because of their dependencies.
package clients

import (
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/go-delve/delve/service/dap/daptest"
	"github.com/google/go-dap"
)

// stdio makes a connection of the standard input and output of a process.
type stdio struct {
	net.Conn // for the methods that the client does not call
	io.Reader
	io.WriteCloser
}

func (s stdio) Read(p []byte) (int, error)  { return s.Reader.Read(p) }
func (s stdio) Write(p []byte) (int, error) { return s.WriteCloser.Write(p) }
func (s stdio) Close() error                { return s.WriteCloser.Close() }

// expect reads messages up to one of a type. An error is a failure.
func expect[T dap.Message](t *testing.T, c *daptest.Client) T {
	t.Helper()
	for {
		switch m := c.ExpectMessage(t).(type) {
		case T:
			return m
		case *dap.ErrorResponse:
			t.Fatalf("%s: %s", m.Command, m.Message)
		}
	}
}

// The client with which Delve tests its own server completes a session: it launches a run, steps forwards and backwards, looks at the state,
// stops at breakpoints and disconnects.
func TestDAP_DelveClient(t *testing.T) {
	root, c, end := start(t, ".") // the run has the places of the handlers there
	c.InitializeRequest()
	if r := expect[*dap.InitializeResponse](t, c); !r.Body.SupportsStepBack || !r.Body.SupportsConfigurationDoneRequest {
		t.Errorf("capabilities %+v", r.Body)
	}
	c.LaunchRequestWithArgs(map[string]any{"path": filepath.Join(root, "cmd/macemc/internal/cli/testdata/pingack.path"), "stopAt": "start"})
	expect[*dap.LaunchResponse](t, c)
	expect[*dap.InitializedEvent](t, c)
	source := filepath.Join(root, "systems/pingack/pingack.go")
	c.SetBreakpointsRequest(source, []int{51})
	if r := expect[*dap.SetBreakpointsResponse](t, c); len(r.Body.Breakpoints) != 1 || !r.Body.Breakpoints[0].Verified {
		t.Errorf("breakpoints %+v", r.Body.Breakpoints)
	}
	c.SetFunctionBreakpointsRequest([]dap.FunctionBreakpoint{{Name: "timer resend"}})
	expect[*dap.SetFunctionBreakpointsResponse](t, c)
	c.ConfigurationDoneRequest()
	stopped := func(reason string) {
		t.Helper()
		if m := expect[*dap.StoppedEvent](t, c); m.Body.Reason != reason {
			t.Errorf("stopped because of %q, want %q", m.Body.Reason, reason)
		}
	}
	stopped("entry")
	c.ThreadsRequest()
	if r := expect[*dap.ThreadsResponse](t, c); len(r.Body.Threads) != 2 {
		t.Errorf("threads %+v", r.Body.Threads)
	}
	c.NextRequest(1)
	stopped("step")
	frame := func(thread int) dap.StackFrame {
		t.Helper()
		c.StackTraceRequest(thread, 0, 20)
		r := expect[*dap.StackTraceResponse](t, c)
		if len(r.Body.StackFrames) == 0 {
			t.Fatal("no frame")
		}
		return r.Body.StackFrames[0]
	}
	if f := frame(1); f.Source == nil || f.Source.Path != source || f.Line == 0 {
		t.Errorf("frame %+v", f)
	}
	c.ScopesRequest(frame(1).Id)
	scopes := expect[*dap.ScopesResponse](t, c).Body.Scopes
	if len(scopes) == 0 {
		t.Fatal("no scope")
	}
	c.VariablesRequest(scopes[0].VariablesReference)
	if r := expect[*dap.VariablesResponse](t, c); len(r.Body.Variables) == 0 {
		t.Error("no variable")
	}
	before := frame(1).Name
	c.ContinueRequest(1)
	stopped("breakpoint")
	c.EvaluateRequest("n0.Sent", frame(1).Id, "watch")
	if r := expect[*dap.EvaluateResponse](t, c); r.Body.Result != "1" {
		t.Errorf("n0.Sent is %q, want 1", r.Body.Result)
	}
	c.ReverseContinueRequest() // to the first state
	stopped("step")
	c.NextRequest(1)
	stopped("step")
	if after := frame(1).Name; after != before {
		t.Errorf("forth and back leads to %q, want %q", after, before)
	}
	c.DisconnectRequest()
	expect[*dap.DisconnectResponse](t, c)
	end()
}

// The same client finds out why a test fails: it looks at variables at the critical step and one step before, steps over lines, and
// continues to breakpoints in both directions.
func TestDAP_DelveClientVariables(t *testing.T) {
	const debugged = "cmd/macemc/internal/cli/testdata/debugged"
	root, c, end := start(t, debugged)
	folder := filepath.Join(root, debugged)
	source := filepath.Join(folder, "lease_test.go")
	c.InitializeRequest()
	if r := expect[*dap.InitializeResponse](t, c); !r.Body.SupportsConditionalBreakpoints {
		t.Errorf("capabilities %+v", r.Body)
	}
	c.LaunchRequestWithArgs(map[string]any{"path": filepath.Join(folder, "schedules/failed.path")})
	expect[*dap.LaunchResponse](t, c)
	expect[*dap.InitializedEvent](t, c)
	c.SetBreakpointsRequestWithArgs(source, []int{53}, map[int]string{53: "old == 0"}, nil, nil)
	if r := expect[*dap.SetBreakpointsResponse](t, c); len(r.Body.Breakpoints) != 1 || !r.Body.Breakpoints[0].Verified {
		t.Errorf("breakpoints %+v", r.Body.Breakpoints)
	}
	c.ConfigurationDoneRequest()
	thread := 0
	stopped := func(reason string) {
		t.Helper()
		m := expect[*dap.StoppedEvent](t, c)
		if thread = m.Body.ThreadId; m.Body.Reason != reason {
			t.Errorf("stopped because of %q, want %q", m.Body.Reason, reason)
		}
	}
	look := func(line int, want map[string]string) {
		t.Helper()
		c.StackTraceRequest(thread, 0, 20)
		frames := expect[*dap.StackTraceResponse](t, c).Body.StackFrames
		if len(frames) == 0 || frames[0].Line != line || frames[0].Source == nil || frames[0].Source.Path != source {
			t.Fatalf("frames %+v, want line %d", frames, line)
		}
		c.ScopesRequest(frames[0].Id)
		got := map[string]string{}
		for _, s := range expect[*dap.ScopesResponse](t, c).Body.Scopes {
			c.VariablesRequest(s.VariablesReference)
			for _, v := range expect[*dap.VariablesResponse](t, c).Body.Variables {
				got[v.Name] = v.Value
			}
		}
		for name, value := range want {
			if got[name] != value {
				t.Errorf("line %d: %s is %q, want %q", line, name, got[name], value)
			}
		}
	}
	stopped("entry") // the critical step
	c.ThreadsRequest()
	if r := expect[*dap.ThreadsResponse](t, c); len(r.Body.Threads) != 3 || r.Body.Threads[0].Name != "g1" {
		t.Errorf("threads %+v", r.Body.Threads)
	}
	look(49, map[string]string{"n": "0"})
	c.StepBackRequest()
	stopped("step")
	look(57, map[string]string{"n": "0"})
	c.EvaluateRequest("critical", 0, "repl")
	expect[*dap.EvaluateResponse](t, c)
	stopped("goto")
	for _, line := range []int{50, 51, 52} {
		c.NextRequest(thread)
		stopped("step")
		look(line, nil)
	}
	look(52, map[string]string{"old": "0"})
	c.ContinueRequest(thread)
	stopped("breakpoint")
	first := thread
	look(53, map[string]string{"old": "0", "n": "0"})
	c.ContinueRequest(thread)
	stopped("breakpoint")
	look(53, map[string]string{"old": "0", "n": "1"}) // the other goroutine has changed n meanwhile
	if thread == first {
		t.Errorf("both breakpoints are in thread %d", thread)
	}
	c.EvaluateRequest("n == old", 0, "watch")
	if r := expect[*dap.EvaluateResponse](t, c); r.Body.Result != "false" {
		t.Errorf("n == old is %q, want false", r.Body.Result)
	}
	c.ReverseContinueRequest()
	stopped("breakpoint")
	look(53, map[string]string{"old": "0", "n": "0"})
	c.DisconnectRequest()
	expect[*dap.DisconnectResponse](t, c)
	end()
}

// start starts the server in a folder, with a client. end waits for it.
func start(t *testing.T, folder string) (root string, c *daptest.Client, end func()) {
	t.Helper()
	root, err := filepath.Abs("../../..")
	if err != nil {
		t.Fatal(err)
	}
	programs := t.TempDir()
	build := exec.Command("go", "build", "-trimpath=false", "-o", programs, "./cmd/macemc", "./cmd/macemc-debug")
	build.Dir, build.Env = root, append(os.Environ(), "GOWORK=")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	cmd := exec.Command(filepath.Join(programs, "macemc"), "dap")
	cmd.Dir, cmd.Env = filepath.Join(root, folder), append(os.Environ(), "GOWORK=off")
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	var errs strings.Builder
	cmd.Stderr = &errs
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	return root, daptest.NewClientFromConn(stdio{Reader: out, WriteCloser: in}), func() {
		t.Helper()
		if err := cmd.Wait(); err != nil {
			t.Errorf("%v: %s", err, &errs)
		}
	}
}
