// Package papers lists systems of published papers: protocols with published numbers of states, those of the P
// language, and the overlays of the MaceMC paper. Tests of the engines check them, and the evaluation program
// generates the papers' tables from them.
package papers

import (
	"github.com/macemc/macemc/internal/test/papers/basicpaxos"
	"github.com/macemc/macemc/internal/test/papers/brokentree"
	"github.com/macemc/macemc/internal/test/papers/chain"
	"github.com/macemc/macemc/internal/test/papers/channel"
	"github.com/macemc/macemc/internal/test/papers/clientserver"
	"github.com/macemc/macemc/internal/test/papers/commit"
	"github.com/macemc/macemc/internal/test/papers/detector"
	"github.com/macemc/macemc/internal/test/papers/echo"
	"github.com/macemc/macemc/internal/test/papers/election"
	"github.com/macemc/macemc/internal/test/papers/espresso"
	"github.com/macemc/macemc/internal/test/papers/ftcommit"
	"github.com/macemc/macemc/internal/test/papers/hashtable"
	"github.com/macemc/macemc/internal/test/papers/multicast"
	"github.com/macemc/macemc/internal/test/papers/multipaxos"
	"github.com/macemc/macemc/internal/test/papers/overcast"
	"github.com/macemc/macemc/internal/test/papers/register"
	"github.com/macemc/macemc/internal/test/papers/synod"
	"github.com/macemc/macemc/internal/test/papers/timer"
	"github.com/macemc/macemc/systems"
	"github.com/macemc/macemc/systems/spec"
)

// Entries returns the descriptions of the papers' systems. The caller owns the slice.
func Entries() []spec.Entry {
	return []spec.Entry{
		multicast.Entry(),
		brokentree.Entry(),
		overcast.Entry(),
		clientserver.Entry(),
		commit.Entry(),
		espresso.Entry(),
		detector.Entry(),
		channel.Entry(),
		timer.Entry(),
		chain.Entry(),
		ftcommit.Entry(),
		multipaxos.Entry(),
		basicpaxos.Entry(),
		election.Entry(),
		hashtable.Entry(),
		synod.Entry(),
		echo.Entry(),
		register.Entry(),
	}
}

// All returns the descriptions of the bundled systems of this module, followed by [Entries]. The caller owns the
// slice.
func All() []spec.Entry { return append(systems.All(), Entries()...) }

// Find returns the description of the system of [All] with that name. The error lists similar names.
func Find(name string) (spec.Entry, error) { return spec.Find(All(), name) }
