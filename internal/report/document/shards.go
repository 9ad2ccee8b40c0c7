package document

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/macemc/macemc/internal/report"
)

// shardLines names the part of a divided search, or describes its parts.
func shardLines(r *report.Report) (lines []string) {
	if s := r.Shard; s != nil {
		lines = append(lines, fmt.Sprintf("shard %d of %d of seed %d, with seed %d: the exhaustive part is the same in all shards, random walks differ",
			s.Number, s.Of, s.Seed, s.SeedOf()))
	}
	if len(r.Shards) == 0 {
		return lines
	}
	if r.Kept != nil {
		return append(lines, fmt.Sprintf("seeds %d to %d; times and walks are totals", r.Shards[0].Seed, r.Shards[len(r.Shards)-1].Seed))
	}
	lines = append(lines, fmt.Sprintf("%d of %d shards; times and walks are totals", len(r.Shards), len(r.Shards)+len(r.Missing)))
	lines = append(lines, ifTrue(len(r.Missing) > 0, "MISSING: "+numbers("shard", r.Missing))...)
	by := map[string][]int{}
	for _, p := range r.Shards {
		how := string(p.Verdict) + ended((&report.Report{Stopped: p.Stopped}))
		by[how] = append(by[how], p.Number)
	}
	for _, how := range slices.Sorted(maps.Keys(by)) {
		lines = append(lines, fmt.Sprintf("%s: %s", numbers("shard", by[how]), how))
	}
	return lines
}

func numbers(what string, list []int) string {
	texts := make([]string, len(list))
	for i, n := range list {
		texts[i] = fmt.Sprint(n)
	}
	if len(list) > 1 {
		what += "s"
	}
	return what + " " + strings.Join(texts, ", ")
}
