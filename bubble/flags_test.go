//go:build macemc_overlay

package bubble_test

import (
	"flag"
	"time"
)

var clean = flag.Duration("clean", time.Second, "how long correct versions are searched")
