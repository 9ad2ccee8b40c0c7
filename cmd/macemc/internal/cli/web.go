//go:build !demo

package cli

import (
	"context"
	"fmt"
	"io"
	"net"
	"strings"

	"github.com/macemc/macemc/internal/task"
	"github.com/macemc/macemc/internal/web"
	"github.com/macemc/macemc/mdb"
)

// page serves a session to a browser on this computer.
type page struct {
	out, errs io.Writer
	stopped   func() bool // whether the command was stopped
	err       error       // why the session was not served
}

// Screen is a [task.Screen]. It returns no error, because the terminal does not replace a page.
func (p *page) Screen(ctx context.Context, s mdb.Debugger, o task.ScreenOptions) error {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		p.err = err
		return nil
	}
	server := web.New(s, o.Text)
	p.err = server.Serve(ctx, l, func(address string) {
		fmt.Fprintf(p.out, "%s\n", address)
		fmt.Fprintln(p.errs, "macemc: the debugger is at this address; Ctrl-C ends it")
	})
	if ctx.Err() != nil && !p.stopped() {
		fmt.Fprintln(p.errs, "macemc: the process that executes the run has ended")
	}
	if lost := server.Unsaved(); len(lost) > 0 {
		fmt.Fprintf(p.errs, "macemc: not saved: %s\n", strings.Join(lost, ", "))
	}
	return nil
}
