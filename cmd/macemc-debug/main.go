// Command macemc-debug executes a test binary in a debugger and reads its variables for "macemc mdb" and "macemc dap". It connects to the
// socket of its first argument (package internal/inspect). The others are the command line of the binary. "go test -exec" starts it for the
// schedule of a test, and macemc itself for the run of a system.
package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"os/signal"
	"path/filepath"
	"runtime"
	"strings"
	"sync/atomic"

	"github.com/macemc/macemc/internal/inspect"
	"github.com/macemc/macemc/internal/testsched"
)

func main() {
	if len(os.Args) < 3 {
		fmt.Fprintln(os.Stderr, "macemc-debug: usage: macemc-debug SOCKET PROGRAM [ARGUMENT...]; macemc mdb executes it")
		os.Exit(2)
	}
	conn, err := net.Dial("unix", os.Args[1])
	if err != nil {
		fmt.Fprintf(os.Stderr, "macemc-debug: %v\n", err)
		os.Exit(2)
	}
	runtime.GOMAXPROCS(runtime.NumCPU()) // the environment sets that of the test
	p := &process{args: os.Args[2:], program: scheduled}
	if os.Getenv(inspect.VariableNodes) != "" {
		p.program = replayed
	}
	signal.Ignore(os.Interrupt) // the program ends this process by closing the socket
	serve(conn, p)
	p.kill()
}

// serve answers requests until the connection ends, which also ends a request in progress.
func serve(conn net.Conn, p *process) {
	requests := make(chan inspect.Request)
	var again atomic.Bool // the client ends the connection because another debugger follows
	go func() {
		in := json.NewDecoder(bufio.NewReader(conn))
		for {
			var r inspect.Request
			if err := in.Decode(&r); err != nil {
				if again.Load() {
					return
				}
				p.kill()
				if dir := filepath.Dir(os.Args[1]); strings.HasPrefix(filepath.Base(dir), inspect.Folder) {
					os.RemoveAll(dir) // the program may have been killed
				}
				os.Exit(0)
			}
			requests <- r
		}
	}()
	out := json.NewEncoder(conn)
	for r := range requests {
		p.once = p.once || r.Once
		reply := answer(p, &r)
		again.Store(reply.Again)
		if out.Encode(reply) != nil {
			return
		}
		if reply.Again {
			p.kill()
			os.Exit(testsched.DebugAgain)
		}
	}
}

// answer executes a request.
func answer(p *process, r *inspect.Request) *inspect.Reply {
	reply := new(inspect.Reply)
	err := do(p, r, reply)
	if reply.Again = errors.Is(err, errAgain); err != nil {
		reply.Err = err.Error()
	}
	return reply
}

func do(p *process, r *inspect.Request, reply *inspect.Reply) (err error) {
	switch r.Action {
	case inspect.Move:
		reply.Stop, err = p.move(r.Operation)
	case inspect.Enter:
		reply.Stop, err = handler{p}.enter(r)
	case inspect.Line:
		reply.Stop, err = p.line(r)
	case inspect.Continue:
		reply.Stop, err = p.forward(r)
	case inspect.Verify:
		reply.Errs, err = p.verify(r.Breakpoints)
	case inspect.Goroutines:
		reply.Goroutines, err = reader{p}.goroutines()
	case inspect.Frames:
		reply.Frames, err = reader{p}.frames(r.Goroutine)
	case inspect.Variables:
		reply.Values, err = reader{p}.variables(r)
	case inspect.Evaluate, inspect.Members:
		reply.Values, err = reader{p}.evaluate(r)
	default:
		err = fmt.Errorf("unknown action %q", r.Action)
	}
	return err
}
