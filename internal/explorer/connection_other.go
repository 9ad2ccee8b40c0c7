//go:build !unix

package explorer

import (
	"errors"
	"net"
	"os"
)

// connect returns an error: processes do not inherit descriptors here.
func connect() (net.Conn, *os.File, error) { return nil, nil, errors.ErrUnsupported }

// endLike does nothing.
func endLike(*os.ProcessState) {}

// forwarded are the signals that the go command sends to a test.
var forwarded []os.Signal
