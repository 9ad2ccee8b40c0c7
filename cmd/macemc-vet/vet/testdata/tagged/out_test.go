package tagged_test

import (
	"time"

	"github.com/macemc/macemc/sim"
)

type outer struct{ sim.Nop }

func (outer) Boot(sim.Env) { time.Sleep(1) } // want "uses time.Sleep"
