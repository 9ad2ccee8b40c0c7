package pastry

import "github.com/macemc/macemc/systems/nodeset"

// Set is a set of nodes.
type Set = nodeset.Set

// None means no node.
const None = nodeset.None
