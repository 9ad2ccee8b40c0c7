package broken

import "github.com/macemc/macemc/sim"

type node struct{ sim.Nop }

func (n *node) Boot(env sim.Env) { env.Sent(1) }
