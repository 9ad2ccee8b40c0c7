package tagged

import (
	"time"

	"github.com/macemc/macemc/sim"
)

type inside struct{ sim.Nop }

func (inside) Boot(sim.Env) { time.Sleep(1) } // want "uses time.Sleep"
