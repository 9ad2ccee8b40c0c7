package sim

import "github.com/macemc/macemc/sim/plan"

// StateRule says how the state plan treats a type or field that is not the user's own.
type StateRule = plan.Rule
