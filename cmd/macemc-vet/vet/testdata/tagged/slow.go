//go:build slow

package tagged

import (
	"time"

	"github.com/macemc/macemc/sim"
)

type slow struct{ sim.Nop }

func (slow) Boot(sim.Env) { time.Sleep(1) } // want "uses time.Sleep"
