//go:build macemc_overlay

package bubble_test

import (
	"flag"
	"time"
)

var (
	clean     = flag.Duration("clean", time.Second, "how long correct versions are searched")
	times     = flag.Int("times", 10, "how often a run is repeated")
	processes = flag.Int("processes", 1, "in how many other processes a run is repeated")
)
