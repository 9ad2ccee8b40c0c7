//go:build !unix

package flight

import (
	"errors"
	"os"
)

func mmap(*os.File, int) ([]byte, error) { return nil, errors.ErrUnsupported }
