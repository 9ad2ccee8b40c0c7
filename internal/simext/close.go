package simext

import (
	"io"

	"github.com/macemc/macemc/sim"
)

// Close returns the Close method of a service, see [sim.Closer], or nil if it has none.
func Close(s sim.Service) func() error {
	switch s := s.(type) {
	case sim.Closer:
		return func() error { s.Close(); return nil }
	case io.Closer:
		return s.Close
	}
	return nil
}

// Discard closes a service that was made for inspection only. Errors of its Close are findings only where a node has
// run the service, so Discard ignores them.
func Discard(s sim.Service) {
	if end := Close(s); end != nil {
		defer func() { _ = recover() }()
		_ = end()
	}
}
