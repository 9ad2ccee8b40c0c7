// Package dap serves the debugger of package mdb to editors by the Debug Adapter Protocol
// (https://microsoft.github.io/debug-adapter-protocol/). A thread is a node. Its only frame is its last step, at the source of the handler.
// The debug console executes the commands of package mdb.
package dap

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"io"

	"github.com/google/go-dap"

	"github.com/macemc/macemc/mdb"
)

// Launch holds the arguments of a launch request.
type Launch struct {
	Path   string `json:"path"`   // path file of the run
	Live   string `json:"live"`   // run to compare with; empty means the default of macemc mdb
	StopAt string `json:"stopAt"` // step in the syntax of goto; empty means the step of interest
}

// Opener opens the run of a launch request and calls serve with the session and a text that describes it. If it does
// not call serve, the error describes why.
type Opener func(ctx context.Context, l Launch, serve func(context.Context, mdb.Debugger, string)) error

// Serve answers the requests of one client on in, until the client disconnects, in ends or ctx is done.
func Serve(ctx context.Context, in io.Reader, out io.Writer, open Opener) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	s := &server{out: out, requests: make(chan request)}
	go s.read(ctx, bufio.NewReader(in))
	for {
		m, err := s.next(ctx)
		if err != nil {
			return ended(err)
		}
		switch m := m.(type) {
		case *dap.InitializeRequest:
			s.send(&dap.InitializeResponse{Response: s.response(m), Body: capabilities()})
		case *dap.LaunchRequest:
			var l Launch
			if err := json.Unmarshal(m.Arguments, &l); err != nil || l.Path == "" {
				s.refuse(m, "path is missing: it names the file of a run, or last")
				continue
			}
			var over error // error of the session
			err := open(ctx, l, func(ctx context.Context, d mdb.Debugger, text string) { over = s.debug(ctx, m, d, l.StopAt, text) })
			if over != nil {
				return ended(over)
			}
			s.refuse(m, reason(err))
		case *dap.DisconnectRequest:
			s.send(&dap.DisconnectResponse{Response: s.response(m)})
			return s.failed
		case dap.RequestMessage:
			s.refuse(m, "no run is open yet; launch one")
		}
		if s.failed != nil {
			return s.failed
		}
	}
}

// reason describes why a run could not be opened.
func reason(err error) string {
	if err == nil {
		return "the run cannot be opened"
	}
	return err.Error()
}

// errDone is the error of a server that lost its client.
var errDone = errors.New("the client has left")

// ended converts the error at the end of a session to that of Serve.
func ended(err error) error {
	if errors.Is(err, errDone) || errors.Is(err, io.EOF) || errors.Is(err, context.Canceled) {
		return nil
	}
	return err
}

func capabilities() dap.Capabilities {
	return dap.Capabilities{
		SupportsConfigurationDoneRequest: true,
		SupportsFunctionBreakpoints:      true,
		SupportsConditionalBreakpoints:   true,
		SupportsStepBack:                 true,
		SupportsEvaluateForHovers:        true,
		SupportsTerminateRequest:         true,
		ExceptionBreakpointFilters: []dap.ExceptionBreakpointsFilter{
			{Filter: onCritical, Label: "Critical step", Default: true},
			{Filter: onFinding, Label: "Violation", Default: true},
		},
	}
}

// server reads and writes messages. Only its reader is a separate goroutine.
type server struct {
	out      io.Writer
	seq      int
	requests chan request
	failed   error // first write error
}

type request struct {
	message dap.Message
	err     error
}

func (s *server) read(ctx context.Context, in *bufio.Reader) {
	for {
		m, err := dap.ReadProtocolMessage(in)
		select {
		case s.requests <- request{m, err}:
		case <-ctx.Done():
			return
		}
		if _, unknown := errors.AsType[*dap.DecodeProtocolMessageFieldError](err); err != nil && !unknown {
			return
		}
	}
}

// next returns the next request. It rejects requests that are not part of the protocol.
func (s *server) next(ctx context.Context) (dap.Message, error) {
	for {
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case r := <-s.requests:
			unknown, ok := errors.AsType[*dap.DecodeProtocolMessageFieldError](r.err)
			if !ok {
				return r.message, r.err
			}
			m := &dap.Request{Command: unknown.FieldValue}
			m.Seq = unknown.Seq
			s.refuse(m, unknown.Error())
		}
	}
}

func (s *server) response(m dap.RequestMessage) dap.Response {
	s.seq++
	r := m.GetRequest()
	return dap.Response{ProtocolMessage: dap.ProtocolMessage{Seq: s.seq, Type: "response"}, RequestSeq: r.Seq, Success: true,
		Command: r.Command}
}

func (s *server) event(name string) dap.Event {
	s.seq++
	return dap.Event{ProtocolMessage: dap.ProtocolMessage{Seq: s.seq, Type: "event"}, Event: name}
}

// refuse writes an error response with a text.
func (s *server) refuse(m dap.RequestMessage, text string) {
	r := &dap.ErrorResponse{Response: s.response(m)}
	r.Success, r.Message, r.Body.Error = false, text, &dap.ErrorMessage{Id: 1, Format: "{text}",
		Variables: map[string]string{"text": text}, ShowUser: true}
	s.send(r)
}

func (s *server) send(m dap.Message) {
	if err := dap.WriteProtocolMessage(s.out, m); err != nil && s.failed == nil {
		s.failed = err
	}
}
