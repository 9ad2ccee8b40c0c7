package task

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/macemc/macemc/internal/check"
	"github.com/macemc/macemc/mdb"
	"github.com/macemc/macemc/systems"
)

// apart connects a test binary's side with the program's side, which has a screen. The result breaks the connection,
// and returns what the program has received: whether the check was reached, and the exit status.
func apart(t *testing.T, screen Screen) (a *asker, end func() (reached bool, status *int)) {
	t.Helper()
	in, orders := io.Pipe()
	answers, out := io.Pipe()
	var reached bool
	var status *int
	served := make(chan struct{})
	go func() {
		defer close(served)
		reached, status = Serve(t.Context(), answers, orders, screen, nil)
	}()
	gone := make(chan struct{})
	a = talk(in, out, func() { close(gone) })
	return a, func() (bool, *int) {
		out.Close()
		<-served
		orders.Close()
		<-gone
		return reached, status
	}
}

func session(t *testing.T) *mdb.Session {
	t.Helper()
	l, err := check.Load(t.Context(), systems.All(), "../replay/testdata/pingack.path", -1, nil)
	if err != nil {
		t.Fatal(err)
	}
	s, err := mdb.Open(mdb.Config{System: &l.System, Path: l.Path, Name: "pingack.path"})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// A session in another process shows, executes and rejects the same as one in this process.
func TestScreenElsewhere(t *testing.T) {
	here, there := session(t), session(t)
	w := mdb.Wanted{Steps: 10, Reach: 5, Width: 90, Differences: true, Source: 3}
	use := func(d mdb.Debugger) string {
		var b bytes.Buffer
		note := func(values ...any) {
			for _, v := range values {
				_, _ = b.WriteString(strings.ReplaceAll(strings.TrimSpace(fmt.Sprintf("%+v", v)), "\n", "|") + "\n")
			}
		}
		for _, line := range []string{"6", "next; state", "fly", "nodes", "2; take 0; end"} {
			note(d.Do(t.Context(), line, &b), d.View(w))
		}
		d.Go(2)
		d.Select(1)
		n, ok := d.Neighbour(1, 0)
		words, begin := d.Complete("cr")
		note(d.Position(), n, ok, words, begin, d.View(mdb.Wanted{Steps: 3}), d.Quit())
		d.Stay()
		note(d.Quit(), errors.Is(d.Quit(), mdb.ErrQuit))
		return b.String()
	}
	want := use(here)
	var got string
	a, end := apart(t, func(_ context.Context, d mdb.Debugger, o ScreenOptions) error {
		got = use(d)
		return errors.New(o.Text)
	})
	if err := a.Screen(t.Context(), there, ScreenOptions{Text: "the first text"}); err == nil || err.Error() != "the first text" {
		t.Errorf("the screen's error is %v", err)
	}
	err := errors.Join(a.send(message{Reached: true}), a.send(message{Status: new(int)}))
	if reached, status := end(); err != nil || !reached || status == nil || *status != 0 {
		t.Errorf("the program received %v, %v instead of a check that was reached and status 0: %v", reached, status, err)
	}
	if got != want || len(strings.Split(want, "\n")) < 20 {
		t.Errorf("elsewhere\n%s\nhere\n%s", got, want)
	}
}

// stuck is a session with a command that does not end by itself.
type stuck struct {
	mdb.Debugger
	begun chan struct{}
}

func (s stuck) Do(ctx context.Context, _ string, w io.Writer) error {
	close(s.begun)
	<-ctx.Done()
	_, err := io.WriteString(w, "said until then")
	return errors.Join(err, ctx.Err())
}

// Canceling a command cancels it in the other process, too.
func TestCancelElsewhere(t *testing.T) {
	s := stuck{begun: make(chan struct{})}
	a, end := apart(t, func(ctx context.Context, d mdb.Debugger, _ ScreenOptions) error {
		ctx, cancel := context.WithCancel(ctx)
		go func() {
			<-s.begun
			cancel()
		}()
		var out strings.Builder
		if err := d.Do(ctx, "walk", &out); !errors.Is(err, context.Canceled) || out.String() != "said until then" {
			t.Errorf("%v, %q", err, &out)
		}
		return nil
	})
	if err := a.Screen(t.Context(), s, ScreenOptions{}); err != nil {
		t.Error(err)
	}
	end()
}

// A screen ends with the process of its session, even during a command.
func TestScreenOfDeadProcess(t *testing.T) {
	s := stuck{begun: make(chan struct{})}
	over := make(chan error, 1)
	a, end := apart(t, func(ctx context.Context, d mdb.Debugger, _ ScreenOptions) error {
		err := d.Do(context.Background(), "walk", io.Discard)
		<-ctx.Done()
		over <- err
		return nil
	})
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	go func() { _ = a.Screen(ctx, s, ScreenOptions{}) }()
	<-s.begun
	if _, status := end(); status != nil {
		t.Errorf("a process that announced no exit status has status %d", *status)
	}
	if err := <-over; err == nil || !strings.Contains(err.Error(), "has ended") {
		t.Errorf("the command's error is %v", err)
	}
}

// Every task can be sent. The other process rejects unknown fields.
func TestOrder(t *testing.T) {
	p := &Process{Program: "macemc"}
	for _, x := range tasks() {
		o, err := p.Order(x, Listed{})
		if err != nil {
			t.Fatal(err)
		}
		if got, err := o.task(); err != nil || kind(got) != kind(x) {
			t.Errorf("%s became %T, %v", kind(x), got, err)
		}
		o.Task = []byte(`{"Luck": true}`)
		if _, err := o.task(); err == nil || !strings.Contains(err.Error(), "Luck") {
			t.Errorf("%s: an unknown field is taken: %v", kind(x), err)
		}
	}
	if _, err := (&Order{Kind: "*task.Guess"}).task(); err == nil {
		t.Error("an unknown task is taken")
	}
}
