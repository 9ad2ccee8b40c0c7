package cli

import (
	"bufio"
	"bytes"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-dap"

	"github.com/macemc/macemc/internal/task"
	"github.com/macemc/macemc/internal/test/golden"
)

// editorClient is a client of macemc dap that stores all messages.
type editorClient struct {
	t    *testing.T
	to   io.WriteCloser
	from *bufio.Reader
	seq  int
	log  bytes.Buffer
	end  chan int // gets the exit status
	errs bytes.Buffer
}

func startEditor(t *testing.T) *editorClient {
	in, to := io.Pipe()
	from, out := io.Pipe()
	c := &editorClient{t: t, to: to, from: bufio.NewReader(from), end: make(chan int, 1)}
	a := &app{Process: task.Process{Stdin: in, Stdout: out, Stderr: &c.errs, Program: "macemc", Systems: testSystems(), Screen: showScreen}}
	go func() {
		status := a.run(t.Context(), []string{"dap"})
		out.Close()
		in.Close() // what the client still writes is refused
		c.end <- status
	}()
	return c
}

// ask sends a request and reads up to its response, or up to the given number of stops after it.
func (c *editorClient) ask(command string, arguments any, stops bool) dap.Message {
	c.t.Helper()
	c.seq++
	m := map[string]any{"seq": c.seq, "type": "request", "command": command}
	if arguments != nil {
		m["arguments"] = arguments
	}
	text, err := json.Marshal(m)
	if err != nil {
		c.t.Fatal(err)
	}
	c.note("> ", command, arguments)
	if err := dap.WriteBaseMessage(c.to, text); err != nil {
		c.t.Fatal(err)
	}
	var response dap.Message
	for response == nil || stops {
		content, err := dap.ReadBaseMessage(c.from)
		if err != nil {
			c.t.Fatalf("%s: %v; %s", command, err, &c.errs)
		}
		got, err := dap.DecodeProtocolMessage(content) // by the types of clients
		if err != nil {
			c.t.Fatalf("%s: %v in %s", command, err, content)
		}
		var all map[string]any
		if err := json.Unmarshal(content, &all); err != nil {
			c.t.Fatal(err)
		}
		switch got := got.(type) {
		case dap.ResponseMessage:
			response = got
			body := all["body"]
			if !got.GetResponse().Success {
				body = got.GetResponse().Message
			}
			c.note("< ", got.GetResponse().Command, body)
			if got.GetResponse().RequestSeq != c.seq {
				c.t.Errorf("%s: the response is for request %d", command, got.GetResponse().RequestSeq)
			}
			stops = stops && got.GetResponse().Success
		case *dap.OutputEvent:
			c.log.WriteString("  | " + strings.ReplaceAll(strings.TrimRight(got.Body.Output, "\n"), "\n", "\n  | ") + "\n")
		case dap.EventMessage:
			c.note("! ", got.GetEvent().Event, all["body"])
			if got.GetEvent().Event == "stopped" {
				stops = false
			}
		}
	}
	return response
}

func (c *editorClient) note(mark, what string, body any) {
	c.log.WriteString(mark + what)
	if body != nil {
		text, _ := json.Marshal(body)
		c.log.WriteString(" " + string(text))
	}
	c.log.WriteByte('\n')
}

type object map[string]any

// A run of pingack can be stepped forward and backward, and from breakpoint to breakpoint.
func TestDap(t *testing.T) {
	root, err := filepath.Abs("../../../..")
	if err != nil {
		t.Fatal(err)
	}
	source := filepath.Join(root, "systems/pingack/pingack.go")
	file := testdata(t, "pingack.path")
	t.Chdir(t.TempDir())
	if err := os.WriteFile("go.mod", []byte("module m\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	c := startEditor(t)
	c.ask("threads", nil, false) // before there is a run
	c.ask("initialize", object{"adapterID": "macemc"}, false)
	c.ask("launch", object{}, false)
	c.ask("launch", object{"path": "last"}, false)
	c.ask("launch", object{"path": file, "stopAt": "start"}, false)
	c.ask("setBreakpoints", object{"source": object{"path": source}, "breakpoints": []object{{"line": 51}, {"line": 1}}}, false)
	c.ask("setFunctionBreakpoints", object{"breakpoints": []object{{"name": "timer resend"}}}, false)
	c.ask("setExceptionBreakpoints", object{"filters": []string{"finding", "critical"}}, false)
	c.ask("configurationDone", nil, true)
	c.ask("threads", nil, false)
	c.ask("next", object{"threadId": 1}, true)
	c.ask("stackTrace", object{"threadId": 1}, false)
	c.ask("stackTrace", object{"threadId": 2}, false)
	c.ask("scopes", object{"frameId": 1}, false)
	for reference := 1; reference <= 4; reference++ {
		c.ask("variables", object{"variablesReference": reference}, false)
	}
	c.ask("variables", object{"variablesReference": 99}, false)
	c.ask("continue", object{"threadId": 1}, true)
	c.ask("stackTrace", object{"threadId": 2}, false)
	c.ask("continue", object{"threadId": 1}, true)
	c.ask("continue", object{"threadId": 1}, true)
	c.ask("stepIn", object{"threadId": 2}, true)
	c.ask("stepBack", object{"threadId": 1}, true)
	c.ask("reverseContinue", object{"threadId": 1}, true)
	c.ask("reverseContinue", object{"threadId": 1}, true)
	c.ask("stepBack", object{"threadId": 1}, true)
	c.ask("evaluate", object{"expression": "n0.Sent", "context": "watch", "frameId": 2}, false)
	c.ask("evaluate", object{"expression": "None", "context": "hover", "frameId": 1}, false)
	c.ask("evaluate", object{"expression": "end", "context": "repl"}, true)
	c.ask("evaluate", object{"expression": "nonsense", "context": "repl"}, false)
	c.ask("next", object{"threadId": 1}, true)
	c.ask("restart", nil, false)
	c.ask("made-up", nil, false)
	c.ask("disconnect", nil, false)
	if status := <-c.end; status != 0 || c.errs.Len() > 0 {
		t.Errorf("exit status %d: %s", status, &c.errs)
	}
	text := strings.NewReplacer(root, "ROOT", filepath.Dir(file), "TESTDATA").Replace(c.log.String())
	if err := os.Chdir(filepath.Dir(filepath.Dir(file))); err != nil {
		t.Fatal(err)
	}
	golden.Compare(t, "dap-pingack.txt", []byte(text))
}

// A client that disconnects ends the server, before and after a run is opened.
func TestDap_End(t *testing.T) {
	c := startEditor(t)
	c.to.Close()
	if status := <-c.end; status != 0 {
		t.Errorf("exit status %d: %s", status, &c.errs)
	}
	c = startEditor(t)
	c.ask("launch", object{"path": testdata(t, "pingack.path")}, false)
	c.to.Close()
	_, _ = io.Copy(io.Discard, c.from) // events that follow
	if status := <-c.end; status != 0 {
		t.Errorf("exit status %d: %s", status, &c.errs)
	}
}
