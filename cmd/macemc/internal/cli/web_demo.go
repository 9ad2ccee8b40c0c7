//go:build demo

package cli

import (
	"context"
	"errors"
	"io"

	"github.com/macemc/macemc/internal/task"
	"github.com/macemc/macemc/mdb"
)

// page is refused by the program of make demo, which is compiled sooner without an HTTP server.
type page struct {
	out, errs io.Writer
	stopped   func() bool
	err       error
}

// Screen is a [task.Screen].
func (p *page) Screen(context.Context, mdb.Debugger, task.ScreenOptions) error {
	p.err = errors.New("the program of make demo has no --web: make install builds one that has")
	return nil
}
