// Package bundled lists the systems that come with the program.
package bundled

import (
	"github.com/macemc/macemc/systems"
	"github.com/macemc/macemc/systems/etcdraft"
	"github.com/macemc/macemc/systems/spec"
)

// Systems returns the descriptions of all bundled systems, the simplest first: those of [systems.All], and those that need
// modules of others, which are modules of their own. The slice is the caller's.
func Systems() []spec.Entry { return append(systems.All(), etcdraft.Entry()) }
