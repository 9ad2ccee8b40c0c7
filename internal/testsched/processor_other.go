//go:build !unix

package testsched

import "time"

var began = time.Now()

func processorTime() time.Duration { return time.Since(began) }
