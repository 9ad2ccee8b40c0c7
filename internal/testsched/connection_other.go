//go:build !unix

package testsched

import (
	"errors"
	"io"
)

// inherited returns an error: processes do not inherit descriptors here.
func inherited(int) (io.ReadWriter, error) { return nil, errors.ErrUnsupported }
