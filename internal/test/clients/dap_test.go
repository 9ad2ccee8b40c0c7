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
	root, err := filepath.Abs("../../..")
	if err != nil {
		t.Fatal(err)
	}
	program := filepath.Join(t.TempDir(), "macemc")
	build := exec.Command("go", "build", "-o", program, "./cmd/macemc")
	build.Dir, build.Env = root, append(os.Environ(), "GOWORK=", "GOFLAGS=")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	cmd := exec.Command(program, "dap")
	cmd.Dir = root // the run has the places of the handlers there
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
	c := daptest.NewClientFromConn(stdio{Reader: out, WriteCloser: in})

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
	if err := cmd.Wait(); err != nil || errs.Len() > 0 {
		t.Errorf("%v: %s", err, &errs)
	}
}
