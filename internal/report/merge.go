package report

import (
	"cmp"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/macemc/macemc/internal/search/stats"
	"github.com/macemc/macemc/search"
)

// Shard is a part of a search that several processes share by using different seeds for random walks.
type Shard struct {
	Number int    `json:"number"` // 1 to Of
	Of     int    `json:"of"`
	Seed   uint64 `json:"seed"` // of the whole search; the report has the shard's own seed
}

// SeedOf returns the seed of a shard. Shards of searches with equal Of have different seeds.
func (s Shard) SeedOf() uint64 { return (s.Seed-1)*uint64(s.Of) + uint64(s.Number) }

// ParseShard parses a shard such as 3/16. seed is the seed of the whole search.
func ParseShard(text string, seed uint64) (Shard, error) {
	s := Shard{Seed: seed}
	number, of, _ := strings.Cut(text, "/")
	if _, err := fmt.Sscanf(number+" "+of, "%d %d", &s.Number, &s.Of); err != nil || fmt.Sprintf("%d/%d", s.Number, s.Of) != text ||
		s.Number < 1 || s.Number > s.Of || s.Of > mostShards {
		return s, fmt.Errorf("%q is not a shard such as 3/16, the third of sixteen; the maximum is %d", text, mostShards)
	}
	if seed > (1<<63)/mostShards {
		return s, fmt.Errorf("seed %d is too large to be divided", seed)
	}
	return s, nil
}

const mostShards = 1 << 16

// Batch returns the n-th batch, counted from 1, of a search with an unknown number of batches. It returns an error if
// n or seed is too large.
func Batch(seed uint64, n int) (Shard, error) {
	if n > mostShards || seed > (1<<63)/mostShards {
		return Shard{}, fmt.Errorf("a checkpointed search has at most %d batches of runs, by seeds of at most %d",
			mostShards, uint64(1<<63)/mostShards)
	}
	return Shard{n, mostShards, seed}, nil
}

// MergeBatches is Merge for the first batches of a search.
func MergeBatches(reports []*Report) (*Report, error) {
	var all []*Report
	for _, r := range reports {
		r, s := *r, *r.Shard
		s.Of = len(reports)
		r.Shard = &s
		all = append(all, &r)
	}
	m, err := Merge(all)
	if err != nil {
		return nil, err
	}
	for i := range m.Phases { // deepening continues from batch to batch
		p := &m.Phases[i]
		p.States = 0
		for _, r := range reports {
			for _, q := range r.Phases {
				if q.Name == p.Name {
					p.States += q.States
				}
			}
		}
	}
	return m, nil
}

// Part is the result of one shard.
type Part struct {
	Number  int            `json:"number"`
	Seed    uint64         `json:"seed"` // its own
	Verdict search.Verdict `json:"verdict"`
	Stopped string         `json:"stopped"`
	Paths   int            `json:"paths"`
	Seconds float64        `json:"seconds"`
}

// severity orders verdicts: that of a divided search is the last one of its parts. An open suspect of any part makes it
// inconclusive unless there is a violation. Package exitcode has the same order.
var severity = []search.Verdict{search.OK, search.Inconclusive, search.OutOfResource, search.Interrupted, search.Violation}

// Merge merges the reports of the shards of one search. Similar findings are reported once, work is summed, and
// events count as never happened if no shard saw them. The verdict is the worst one, and not ok if a shard is
// missing. The coverage contains only what at least one shard covered. The error names reports that do not belong
// together. Merge does not change the reports.
func Merge(reports []*Report) (*Report, error) {
	if len(reports) == 0 {
		return nil, errors.New("there are no reports of shards")
	}
	reports = slices.Clone(reports)
	for _, r := range reports {
		if r.Shard == nil {
			return nil, errors.New("a report was made without --shard")
		}
		if r.Shard.Number < 1 || r.Shard.Number > r.Shard.Of {
			return nil, fmt.Errorf("a report is of shard %d of %d, which does not exist", r.Shard.Number, r.Shard.Of)
		}
		if !slices.Contains(severity, r.Verdict) {
			return nil, fmt.Errorf("shard %d has the unknown verdict %q", r.Shard.Number, r.Verdict)
		}
	}
	slices.SortFunc(reports, func(a, b *Report) int { return cmp.Compare(a.Shard.Number, b.Shard.Number) })
	first := reports[0]
	merged := &Report{
		Settings: first.Settings, Seed: first.Shard.Seed, Workers: first.Workers, Verdict: search.OK, WalkSteps: first.WalkSteps,
		Stopped: first.Stopped, Uncovered: first.Uncovered, Monitors: first.Monitors, Program: first.Program,
		OtherVersions: first.OtherVersions, Disturbing: first.Disturbing,
		Coverage: Coverage{NotChecked: first.Coverage.NotChecked, NoProperty: first.Coverage.NoProperty, Coverage: search.Coverage{Unchecked: first.Coverage.Unchecked,
			Fair: first.Coverage.unwalked(), NeverHappened: first.Coverage.NeverHappened}, Assumed: first.Coverage.Assumed},
	}
	for i, r := range reports {
		if differs := settingsDiffer(first, r); differs != "" {
			return nil, fmt.Errorf("shards %d and %d are of different searches: %s", first.Shard.Number, r.Shard.Number, differs)
		}
		if i > 0 && r.Shard.Number == reports[i-1].Shard.Number {
			return nil, fmt.Errorf("shard %d occurs twice", r.Shard.Number)
		}
		merged.add(r)
	}
	for n := range first.Shard.Of {
		if !slices.ContainsFunc(reports, func(r *Report) bool { return r.Shard.Number == n+1 }) {
			merged.Missing = append(merged.Missing, n+1)
		}
	}
	if len(merged.Missing) > 0 && merged.Verdict == search.OK {
		merged.Verdict, merged.Stopped = search.Inconclusive, "shards are missing"
	}
	return merged, nil
}

// settingsDiffer describes a setting that differs between two shards and must not. An empty string means none.
func settingsDiffer(a, b *Report) string {
	of := func(r *Report) (all [][2]string) {
		s := reflect.ValueOf(r.Settings)
		for i := range s.NumField() {
			key, _, _ := strings.Cut(s.Type().Field(i).Tag.Get("json"), ",")
			all = append(all, [2]string{key, fmt.Sprint(s.Field(i))})
		}
		return append(all, [][2]string{
			{"walk_steps", fmt.Sprint(r.WalkSteps)}, {"not checked", fmt.Sprint(r.Coverage.NotChecked)}, {"program", r.Program},
			{"shards", fmt.Sprint(r.Shard.Of)}, {"seed", fmt.Sprint(r.Shard.Seed)},
		}...)
	}
	there := of(b)
	for i, s := range of(a) {
		if s[1] != there[i][1] {
			return fmt.Sprintf("%s is %s there, %s here", s[0], s[1], there[i][1])
		}
	}
	return ""
}

// add adds the result of a shard.
func (r *Report) add(o *Report) {
	r.Shards = append(r.Shards, Part{o.Shard.Number, o.Seed, o.Verdict, o.Stopped, o.Paths, o.Seconds})
	if slices.Index(severity, o.Verdict) > slices.Index(severity, r.Verdict) {
		r.Verdict, r.Stopped = o.Verdict, o.Stopped
	}
	r.Paths += o.Paths
	r.Events += o.Events
	r.Seconds += o.Seconds
	r.Suspects += o.Suspects
	r.Undecided += o.Undecided
	if r.Suspect = cmp.Or(r.Suspect, o.Suspect); r.Suspect != nil && r.Verdict != search.Violation {
		r.Verdict = search.Inconclusive
	}
	r.Slow += o.Slow
	// The exhaustive part is the same in all shards: the longest one includes the others.
	r.States, r.Depth = max(r.States, o.States), max(r.Depth, o.Depth)
	if o.Kind == "" {
		r.Running += o.Running
	}
	r.Coverage.add(&o.Coverage)
	r.addWork(o)
	r.addFindings(o)
}

func (c *Coverage) add(o *Coverage) {
	c.ExhaustedDepth = max(c.ExhaustedDepth, o.ExhaustedDepth)
	c.Complete = c.Complete || o.Complete
	if o.Complete { // results about fair runs and liveness cover all states
		c.Fair, c.Unchecked = o.Fair, o.Unchecked
	} else if c.Fair != nil && !c.Fair.Judged && o.Fair != nil {
		c.Fair.Walked = c.Fair.Walked.And(o.Fair.Walked)
	}
	c.ForeignTimes = c.ForeignTimes || o.ForeignTimes
	addNew(&c.BySample, o.BySample)
	c.Sampled.Merge(o.Sampled)
	addNew(&c.OnlySampled, o.OnlySampled)
	if p := o.OmissionProbability; p != nil && (c.OmissionProbability == nil || *p > *c.OmissionProbability) {
		c.OmissionProbability = p
	}
	c.NeverHappened = slices.DeleteFunc(slices.Clone(c.NeverHappened), func(n string) bool { return !slices.Contains(o.NeverHappened, n) })
	for _, s := range o.Sometimes {
		t := named(&c.Sometimes, func(t *stats.Sometimes) bool { return t.Property == s.Property }, stats.Sometimes{Property: s.Property})
		t.Runs, t.Walks, t.Of = t.Runs+s.Runs, t.Walks+s.Walks, t.Of+s.Of
	}
	if o.Orders.Both > c.Orders.Both {
		c.Orders = o.Orders // reports have counts and not the sets, so those of one batch remain
	}
	c.FaultsUsed = c.FaultsUsed.Max(o.FaultsUsed)
}

func (r *Report) addWork(o *Report) {
	for _, p := range o.Phases {
		t := named(&r.Phases, func(t *stats.Phase) bool { return t.Name == p.Name }, stats.Phase{Name: p.Name})
		states := max(t.States, p.States)
		t.Add(&p)
		t.States = states
	}
	for _, s := range o.Schedules {
		t := named(&r.Schedules, func(t *stats.Schedule) bool { return t.Name == s.Name }, stats.Schedule{Name: s.Name})
		t.Paths, t.Events = t.Paths+s.Paths, t.Events+s.Events
	}
	for _, s := range o.Relied {
		t := named(&r.Relied, func(t *stats.Relied) bool { return t.Action == s.Action }, stats.Relied{Action: s.Action})
		t.Walks += s.Walks
	}
}

// addNew appends the elements that are not in the list.
func addNew[S ~[]T, T comparable](list *S, more S) {
	for _, e := range more {
		if !slices.Contains(*list, e) {
			*list = append(*list, e)
		}
	}
}

// named returns the element of a list for which is holds. It appends otherwise if there is none.
func named[T any](list *[]T, is func(*T) bool, otherwise T) *T {
	for i := range *list {
		if is(&(*list)[i]) {
			return &(*list)[i]
		}
	}
	*list = append(*list, otherwise)
	return &(*list)[len(*list)-1]
}

// addFindings adds the findings of a shard that are unlike all others. They are compared as within one search, see
// [Report.Like].
func (r *Report) addFindings(o *Report) {
	found := o.Findings
	if o.Findings == nil && o.Verdict == search.Violation {
		found = []*Report{o}
	}
	r.Alike += o.Alike
	r.addKnown(o)
	for _, f := range found {
		if slices.ContainsFunc(r.Findings, f.Like) {
			r.Alike++
			continue
		}
		r.Findings = append(r.Findings, f)
	}
	for _, u := range o.Unsure {
		t := named(&r.Unsure, func(t *Unsure) bool { return t.Handler == u.Handler }, Unsure{Handler: u.Handler})
		t.Count += u.Count
	}
}
