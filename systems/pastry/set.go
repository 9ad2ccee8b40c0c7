package pastry

import "github.com/macemc/macemc/systems/randtree"

// Set is a set of nodes.
type Set = randtree.Set

// None stands for no node.
const None = randtree.None
