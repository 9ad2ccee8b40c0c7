package table_test

import (
	"testing"

	"github.com/macemc/macemc/internal/table/steptree"
	"github.com/macemc/macemc/internal/table/world"
	"github.com/macemc/macemc/internal/test/script"
	"pgregory.net/rapid"
)

func TestRandomSystems(t *testing.T) {
	stats := steptree.Stats{}
	rapid.Check(t, func(t *rapid.T) {
		d := newBoth(t, script.Draw(t).System(), rapid.Uint64().Draw(t, "seed"))
		d.walk(60, 40)
		s := d.b.(*world.World).Stats()
		stats.Steps += s.Steps
		stats.Misses += s.Misses
		stats.Verified += s.Verified
	})
	t.Logf("%+v", stats)
}
