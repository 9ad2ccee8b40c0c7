//go:build !unix

package agents

import (
	"errors"
	"net"
	"os"
)

// connect returns an error: processes do not inherit descriptors here.
func connect() (net.Conn, *os.File, error) { return nil, nil, errors.ErrUnsupported }

// endedBy returns false.
func endedBy(*os.ProcessState, []os.Signal) bool { return false }

// EndLike does nothing.
func EndLike(*os.ProcessState) {}

// endBy ends this process.
func endBy(os.Signal) { os.Exit(1) }

// Forwarded are the signals that the go command sends to a test.
var Forwarded []os.Signal

// lock returns false: no file is locked.
func lock(*os.File) bool { return false }
