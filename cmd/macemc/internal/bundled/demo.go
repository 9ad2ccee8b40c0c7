//go:build demo

package bundled

import "github.com/macemc/macemc/systems/spec"

func separate() []spec.Entry { return nil }
