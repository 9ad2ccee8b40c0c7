//go:build !unix

package program

import "time"

var began = time.Now()

func ProcessorTime() time.Duration { return time.Since(began) }
