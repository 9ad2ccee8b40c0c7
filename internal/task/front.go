package task

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"sync"
	"syscall"

	"github.com/macemc/macemc/internal/check/exitcode"
	"github.com/macemc/macemc/internal/inspect"
	"github.com/macemc/macemc/internal/task/remote"
	"github.com/macemc/macemc/mdb"
)

// message is a message between a test binary and the program that gave it an order, as a line of JSON. Exactly one
// field is set.
type message struct {
	// From the test binary. The first message confirms that the check was reached, the last one is the exit status.
	Reached bool             `json:"reached,omitempty"`
	Status  *int             `json:"status,omitempty"`
	Screen  *ScreenOptions   `json:"screen,omitempty"` // requests questions, and in the end Over
	Answer  *remote.Answer   `json:"answer,omitempty"`
	Inspect *inspect.Request `json:"inspect,omitempty"` // requests Inspected
	// From the program. There is one question at a time; Cancel cancels it.
	Question  *remote.Question `json:"question,omitempty"`
	Cancel    bool             `json:"cancel,omitempty"`
	Over      *result          `json:"over,omitempty"`
	Inspected *inspected       `json:"inspected,omitempty"`
}

// result is the error that a [Screen] returned. An empty string means none.
type result struct {
	Error string `json:"error,omitempty"`
}

// inspected is the result of a debugger's request.
type inspected struct {
	Reply *inspect.Reply `json:"reply,omitempty"`
	Error string         `json:"error,omitempty"`
}

// sender writes messages.
type sender struct {
	mu sync.Mutex
	to *json.Encoder
}

func (s *sender) send(m message) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.to.Encode(m)
}

// asker forwards requests of a test binary to the program.
type asker struct {
	sender
	over      chan *result
	questions chan message // Question or Cancel
	inspected chan *inspected
}

// newAsker connects to the program that gave the order. It ends this process when that program is gone.
func newAsker() *asker {
	const in, out = 3, 4
	syscall.CloseOnExec(in)
	syscall.CloseOnExec(out)
	a := talk(os.NewFile(in, "orders"), os.NewFile(out, "answers"), func() { os.Exit(exitcode.Inconclusive) })
	if a.send(message{Reached: true}) != nil {
		os.Exit(exitcode.Inconclusive)
	}
	return a
}

// talk reads messages from in and calls gone at its end.
func talk(in io.Reader, out io.Writer, gone func()) *asker {
	a := &asker{sender: sender{to: json.NewEncoder(out)}, over: make(chan *result), questions: make(chan message),
		inspected: make(chan *inspected, 1)}
	go func() {
		defer gone()
		for d := json.NewDecoder(in); ; {
			var m message
			switch err := d.Decode(&m); {
			case err != nil:
				return
			case m.Over != nil:
				a.over <- m.Over
			case m.Inspected != nil:
				a.inspected <- m.Inspected
			default:
				a.questions <- m
			}
		}
	}()
	return a
}

// Inspect executes a request in the debugger of the program. It is not safe for concurrent use.
func (a *asker) Inspect(_ context.Context, _ string, r inspect.Request) (*inspect.Reply, error) {
	if err := a.send(message{Inspect: &r}); err != nil {
		return nil, err
	}
	answer := <-a.inspected
	if answer.Error != "" {
		return nil, errors.New(answer.Error)
	}
	return answer.Reply, nil
}

// Screen is a [Screen].
func (a *asker) Screen(ctx context.Context, s mdb.Debugger, o ScreenOptions) error {
	if err := a.send(message{Screen: &o}); err != nil {
		return err
	}
	cancel := func() {}
	defer func() { cancel() }()
	for {
		select {
		case <-ctx.Done():
			return nil
		case r := <-a.over:
			if r.Error != "" {
				return errors.New(r.Error)
			}
			return nil
		case m := <-a.questions:
			cancel() // of the question before, which was answered
			if m.Cancel {
				continue
			}
			inner, stop := context.WithCancel(ctx)
			cancel = stop
			go func() {
				r := remote.Reply(inner, s, *m.Question)
				_ = a.send(message{Answer: &r}) // the end of the program ends this process
			}()
		}
	}
}

// Serve provides a screen to a test binary that requests it on in, until in ends. It reports whether the requested check
// was reached, and the exit status that the binary announced after its work. A nil status means that the binary ended
// before that, whatever the exit status of its process. debugger executes requests about variables; nil means that there are none.
func Serve(ctx context.Context, in io.Reader, out io.Writer, screen Screen, debugger mdb.Inspector) (reached bool, status *int) {
	s := &server{sender: sender{to: json.NewEncoder(out)}, answers: make(chan remote.Answer), gone: make(chan struct{})}
	ctx, cancel := context.WithCancel(ctx)
	var screens sync.WaitGroup
	defer screens.Wait()
	defer cancel()
	defer close(s.gone)
	for d := json.NewDecoder(in); ; {
		var m message
		if d.Decode(&m) != nil {
			return reached, status
		}
		switch {
		case m.Reached:
			reached = true
		case m.Status != nil:
			status = m.Status
		case m.Screen != nil:
			screens.Go(func() {
				over := new(result)
				if err := screen(ctx, inspectable{remote.Debugger(s.ask), debugger}, *m.Screen); err != nil {
					over.Error = err.Error()
				}
				_ = s.send(message{Over: over}) // without a reader, in ends
			})
		case m.Inspect != nil:
			screens.Go(func() {
				answer := new(inspected)
				var err error
				if answer.Reply, err = debugger(ctx, *m.Inspect); err != nil {
					answer.Error = err.Error()
				}
				_ = s.send(message{Inspected: answer})
			})
		case m.Answer != nil:
			s.answers <- *m.Answer
		}
	}
}

// inspectable is a session in another process whose variables a debugger of this one reads.
type inspectable struct {
	mdb.Debugger
	debugger mdb.Inspector
}

// Inspector returns that debugger.
func (i inspectable) Inspector() mdb.Inspector { return i.debugger }

// server is the program's side of the pipes.
type server struct {
	sender
	answers chan remote.Answer
	gone    chan struct{} // closed when the test binary has ended
}

// ask sends a question to the session in the test binary and returns the answer.
func (s *server) ask(ctx context.Context, q remote.Question) remote.Answer {
	gone := remote.Answer{Error: "the process that executes the run has ended"}
	if s.send(message{Question: &q}) != nil {
		return gone
	}
	stop := ctx.Done()
	for {
		select {
		case a := <-s.answers:
			return a
		case <-stop:
			stop = nil
			_ = s.send(message{Cancel: true})
		case <-s.gone:
			return gone
		}
	}
}
