package inspect

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"strings"
	"testing"
)

// answers connects to a socket, and answers so many requests.
func answers(socket string, n int) error {
	conn, err := net.Dial("unix", socket)
	if err != nil {
		return err
	}
	defer conn.Close()
	in, out := json.NewDecoder(conn), json.NewEncoder(conn)
	for range n {
		var r Request
		if err := errors.Join(in.Decode(&r), out.Encode(Reply{Stop: Stop{Operation: r.Operation}})); err != nil {
			return err
		}
	}
	return nil
}

func TestOpen_ReportsEndOfCommand(t *testing.T) {
	_, err := Open(t.Context(), func(_ context.Context, _ string, output io.Writer) error {
		fmt.Fprintln(output, "no such test")
		return errors.New("exit status 2")
	})
	if want := "the run was not executed: exit status 2: no such test"; err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}

func TestCall_ReportsEndOfDebugger(t *testing.T) {
	c, err := Open(t.Context(), func(_ context.Context, socket string, output io.Writer) error {
		defer fmt.Fprintln(output, "killed")
		return answers(socket, 1)
	})
	if err != nil {
		t.Fatal(err)
	}
	if r, err := c.Call(t.Context(), Request{Operation: 7}); err != nil || r.Stop.Operation != 7 || c.Closed() {
		t.Errorf("got %+v, %v, closed %t", r, err, c.Closed())
	}
	_, err = c.Call(t.Context(), Request{})
	if err == nil || !strings.HasPrefix(err.Error(), "the debugger has ended: ") || !strings.HasSuffix(err.Error(), ": killed") || !c.Closed() {
		t.Errorf("got %v, closed %t", err, c.Closed())
	}
}

func TestClose_EndsCommand(t *testing.T) {
	ended := false
	c, err := Open(t.Context(), func(ctx context.Context, socket string, _ io.Writer) error {
		err := answers(socket, 0)
		<-ctx.Done()
		ended = true
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	c.Close()
	if _, err := os.Stat(c.Beside("")); !ended || !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the command has ended: %t; the folder: %v", ended, err)
	}
	c.Close()
}
