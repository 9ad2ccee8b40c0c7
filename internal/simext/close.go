package simext

import (
	"io"

	"github.com/macemc/macemc/sim"
)

// Close is what tells a service that it is thrown away, see [sim.Closer]; nil: it does not want to know.
func Close(s sim.Service) func() error {
	switch s := s.(type) {
	case sim.Closer:
		return func() error { s.Close(); return nil }
	case io.Closer:
		return s.Close
	}
	return nil
}

// Discard is for those who make a service to look at it only: it is told that it is thrown away. A Close that fails is no finding here, but
// where a node has run the service.
func Discard(s sim.Service) {
	if end := Close(s); end != nil {
		defer func() { _ = recover() }()
		_ = end()
	}
}
