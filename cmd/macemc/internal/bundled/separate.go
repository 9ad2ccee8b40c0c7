//go:build !demo

package bundled

import (
	"github.com/macemc/macemc/systems/etcdraft"
	"github.com/macemc/macemc/systems/spec"
)

func separate() []spec.Entry { return []spec.Entry{etcdraft.Entry()} }
