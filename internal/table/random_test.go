package table_test

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/macemc/macemc/internal/table"
	"github.com/macemc/macemc/internal/test/script"
)

func TestRandomSystems(t *testing.T) {
	stats := table.Stats{}
	rapid.Check(t, func(t *rapid.T) {
		d := newBoth(t, script.Draw(t).System(), rapid.Uint64().Draw(t, "seed"))
		d.walk(60, 40)
		s := d.b.(*table.World).Stats()
		stats.Steps += s.Steps
		stats.Misses += s.Misses
		stats.Verified += s.Verified
	})
	t.Logf("%+v", stats)
}
