package testbudget

import (
	"cmp"
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/macemc/macemc/internal/outfile"
	"github.com/macemc/macemc/internal/testflags"
)

// Planner plans the tests of a command, and records their explorations for later ones.
type Planner struct {
	Store     string        // folder of the records
	Settings  string        // of the command; other settings explore other schedules
	Run, Skip string        // flags of go test
	Each      time.Duration // see Plan
	Total     time.Duration
	packages  map[string]*planned
}

// planned is a package of a plan.
type planned struct {
	Package
	file    string // of the record
	old     record // of an earlier command
	current record // of this one
}

// record describes the latest explorations of the tests of a package.
type record struct {
	Hash  string // of what the tests depend on, and of the settings
	Whole bool   // every test had its full time in one command
	Tests map[string]Explored
}

// Explored describes the exploration of a test function.
type Explored struct {
	Text  string        // hash of the function
	Used  time.Duration // by the longest exploration of the record's hash
	Parts int           // number of tests as which it is explored
	Short bool          // it had less than its full time in all these commands
	New   bool          // new orders of goroutines occurred until the end
}

// Plan plans the tests of the packages that which selects from a list.
func (p *Planner) Plan(list []*Package, which func(*Package) bool) *Plan {
	p.packages = map[string]*planned{}
	hashes := newDependencies(list)
	for _, pkg := range list {
		if which(pkg) && len(pkg.TestGoFiles)+len(pkg.XTestGoFiles) > 0 {
			p.add(pkg, digest(hashes.hash(pkg)+p.Settings))
		}
	}
	plan, each := &Plan{Total: p.Total, Each: p.Each}, cmp.Or(p.Each, usual)
	var again []*planned // whose code did not change
	for _, path := range slices.Sorted(maps.Keys(p.packages)) {
		if q := p.packages[path]; q.old.Hash == q.current.Hash {
			again = append(again, q)
		} else {
			for _, name := range q.names() {
				plan.Tests = append(plan.Tests, q.test(name, each))
			}
		}
	}
	plan.continued(again, each)
	return plan
}

// usual is the expected use of a test without a limit.
const usual = 2 * time.Second

// add adds a package with its record.
func (p *Planner) add(pkg *Package, hash string) {
	q := &planned{Package: *pkg, file: filepath.Join(p.Store, "record-"+digest(pkg.Dir))}
	if text, err := os.ReadFile(q.file); err == nil {
		_ = json.Unmarshal(text, &q.old) // a damaged record is like none
	}
	q.current = record{Hash: hash, Tests: map[string]Explored{}}
	flags := testflags.Flags{Run: p.Run, Skip: p.Skip}
	for name, text := range pkg.tests() {
		if flags.Selects(name) {
			q.current.Tests[name] = Explored{Text: text}
		}
	}
	p.packages[pkg.ImportPath] = q
}

func (q *planned) names() []string { return slices.Sorted(maps.Keys(q.current.Tests)) }

// Weights of tests whose code, or that of their package, has changed.
const (
	foundWeight   = 8 // there are stored findings
	changedWeight = 4 // the function is new or has changed
	newWeight     = 2 // new orders of goroutines occurred until the end
)

// test plans a test.
func (q *planned) test(name string, each time.Duration) Test {
	t := Test{Package: q.ImportPath, Name: name, Weight: 1, Need: each}
	old, known := q.old.Tests[name]
	t.Guess = !known
	switch {
	case known && old.Short:
		t.Need *= time.Duration(max(1, old.Parts))
	case known:
		t.Need = old.Used + old.Used/4
	}
	found, _ := filepath.Glob(filepath.Join(q.Dir, "testdata", "macemc", name, "*.path"))
	switch {
	case len(found) > 0:
		t.Weight = foundWeight
	case !known || old.Text != q.current.Tests[name].Text:
		t.Weight = changedWeight
	case old.New:
		t.Weight = newWeight
	}
	return t
}

// cheap is the part of the time of a test below which it is always explored to the end.
const cheap = 10

// continued adds tests whose code did not change: one by one those that have not had their full time, the least explored packages and tests
// first, then those of packages whose results the go command has probably cached.
func (plan *Plan) continued(list []*planned, each time.Duration) {
	used := func(t Explored) time.Duration {
		if t.Short {
			return t.Used
		}
		return each
	}
	mean := func(q *planned) (sum time.Duration) {
		for _, t := range q.old.Tests {
			sum += used(t)
		}
		return sum / time.Duration(max(1, len(q.old.Tests)))
	}
	slices.SortStableFunc(list, func(a, b *planned) int { return cmp.Compare(mean(a), mean(b)) })
	rank := 0
	for _, whole := range []bool{false, true} {
		for _, q := range list {
			if q.old.Whole != whole {
				continue
			}
			names := q.names()
			slices.SortStableFunc(names, func(a, b string) int { return cmp.Compare(used(q.old.Tests[a]), used(q.old.Tests[b])) })
			for _, name := range names {
				if !whole || rank == 0 {
					rank++
				}
				t := q.test(name, each)
				if t.Rank = rank; !whole && t.Need < each/cheap {
					t.Rank = 0
				}
				plan.Tests = append(plan.Tests, t)
			}
		}
		rank++
	}
}

// Explored records the exploration of a test function of a package, or of a part of it.
func (p *Planner) Explored(pkg, name string, e Explored) {
	q := p.packages[pkg]
	if q == nil {
		return
	}
	t, ok := q.current.Tests[name]
	if !ok {
		return
	}
	t.Used, t.Short, t.New, t.Parts = t.Used+e.Used, t.Short || e.Short, t.New || e.New, t.Parts+1
	q.current.Tests[name] = t
}

// less reports whether an exploration tried less than another one of the same code.
func (e Explored) less(other Explored) bool {
	return e.Short && !other.Short || e.Short == other.Short && e.Used < other.Used
}

// Save stores the record of a package whose tests were executed.
func (p *Planner) Save(pkg string) {
	q := p.packages[pkg]
	if q == nil {
		return
	}
	q.current.Whole = !slices.ContainsFunc(slices.Collect(maps.Values(q.current.Tests)), func(t Explored) bool { return t.Short })
	for name, old := range q.old.Tests {
		t, executed := q.current.Tests[name]
		switch {
		case q.old.Hash != q.current.Hash && !executed:
			q.current.Tests[name] = Explored{Text: old.Text, Short: true}
		case q.old.Hash == q.current.Hash && (!executed || t.less(old)):
			q.current.Tests[name] = old
		}
	}
	if text, err := json.Marshal(q.current); err == nil {
		_ = outfile.Replace(q.file, text, 0o666) // a record that is missing costs time
	}
}
