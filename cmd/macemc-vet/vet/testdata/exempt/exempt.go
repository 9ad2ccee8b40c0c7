// Package exempt does one thing that is fine in many places.
//
//macemc:ok rand.Int: nobody looks at it
//macemc:ok time.Now
package exempt

import (
	"math/rand"
	"time"

	"github.com/macemc/macemc/sim"
)

type node struct{ sim.Nop }

func (node) Boot(sim.Env) {
	_ = rand.Int()
	_ = rand.Intn(3) // want "uses rand.Intn"
	_ = time.Now()   // want "uses time.Now"
}

//macemc:ok rand.Intn: below the package clause this speaks of the function only
func (node) Timer(sim.Env, any) { _ = rand.Intn(3) }
