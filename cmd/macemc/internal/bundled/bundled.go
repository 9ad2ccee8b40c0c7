// Package bundled lists the bundled systems.
package bundled

import (
	"github.com/macemc/macemc/systems"
	"github.com/macemc/macemc/systems/spec"
)

// Systems returns the descriptions of all bundled systems, the simplest first. These are [systems.All], and systems in separate modules
// with third-party dependencies, which the program of make demo lacks. The slice belongs to the caller.
func Systems() []spec.Entry { return append(systems.All(), separate()...) }
