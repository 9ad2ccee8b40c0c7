package check

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/macemc/macemc/choose"
	"github.com/macemc/macemc/critical"
	"github.com/macemc/macemc/internal/budget"
	"github.com/macemc/macemc/internal/check/isolate"
	"github.com/macemc/macemc/internal/check/outfolder"
	"github.com/macemc/macemc/internal/report"
	"github.com/macemc/macemc/search"
	"github.com/macemc/macemc/sim"
)

// keeper collects the violations of a search that continues after a finding. It keeps those that differ by kind,
// property and, if known for sure, the code that handled the decisive step. Calls must not overlap.
type keeper struct {
	c          *checker
	until      time.Duration // when to stop shrinking, except for leastShrinking, on the clock of package budget; 0 means never
	accepted   []*accepted
	known      []*report.Report // as they were found, and as they were shrunk
	dead       []deadRun
	findings   []*report.Report
	duplicates int
	unproven   map[string]int // duplicates whose critical step seems to have another handler, counted by that handler
	last       *search.Suspect
	ended      string          // why the last finding ended the search
	problems   error           // of describing and writing
	undecided  int             // findings that could not be re-executed in time
	suspect    *search.Suspect // the first of them
	died       bool            // a finding ends its process or does not return

	confirmingTime time.Duration // of suspects
	reportingTime  time.Duration // shrinking and describing findings
}

// deadRun is a found run up to the step after which it is dead.
type deadRun struct {
	path choose.Path
	of   *accepted // nil means that the finding is not a known one
}

// leastShrinking is the minimum time for shrinking a run, also after the time of the search is over.
const leastShrinking = 3 * time.Second

func (c *checker) keeper(known []*accepted) *keeper {
	k := &keeper{c: c, accepted: known, unproven: map[string]int{}, findings: []*report.Report{}}
	if c.Search.Time > 0 {
		k.until = budget.Now() + c.Search.Time
	}
	return k
}

// confirm is that of the checker except for runs that begin with a known dead run.
func (k *keeper) confirm(ctx context.Context, s search.Suspect) (search.Confirmed, error) {
	for _, dead := range k.dead {
		if n := len(dead.path); n <= len(s.Path) && slices.Equal(dead.path, s.Path[:n]) && (s.Kind == sim.Liveness || s.Kind == sim.Deadlock) {
			if dead.of != nil {
				dead.of.Runs++
			} else {
				k.duplicates++
			}
			return search.Confirmed{Known: true}, nil
		}
	}
	defer spent(time.Now(), &k.confirmingTime)
	return k.c.confirm(ctx, s)
}

// spent adds the time since then to a sum.
func spent(since time.Time, to *time.Duration) { *to += time.Since(since) }

// found handles a violation. One that differs from the others is shrunk and written.
func (k *keeper) found(ctx context.Context, res *search.Result) error {
	defer spent(time.Now(), &k.reportingTime)
	if k.countsAgain(res) {
		return nil
	}
	k.c.asFound = described{}
	k.c.recur(ctx, res)
	switch {
	case res.Finding == nil:
		k.undecided++
		k.suspect = cmp.Or(k.suspect, res.Suspect)
		return nil
	case res.Finding.Kind == sim.Nondeterminism && res.Last == "":
		res.Last = "further findings are unreliable if the system is nondeterministic"
	}
	k.ended = res.Last
	if _, ok := res.Detail.(*isolate.Death); ok {
		k.died = true
	}
	unshrunk, f, err := k.c.describeAsFound(res)
	k.last = res.Finding
	if f.error == nil {
		return err
	}
	a := k.acceptedLike(unshrunk)
	if a == nil && k.isDuplicate(unshrunk) {
		k.countDuplicate(unshrunk, res)
		return nil
	}
	if dead, ok := res.Detail.(*critical.Result); ok {
		if err := k.remember(dead, a); err != nil {
			return err
		}
	}
	if a != nil {
		k.count(a, unshrunk, res)
		return nil
	}
	// The end of the search's time does not discard a finding while it is processed.
	ctx, cancel := k.whileShrinking(ctx)
	defer cancel()
	k.writeEarly(unshrunk, f, res)
	defer func() { k.c.unshrunkDir, k.c.tempDir = "", "" }()
	found := f
	r, f, notShrunk, err := k.c.complete(ctx, res)
	if f.error == nil {
		return err
	}
	if k.acceptedLike(r) != nil { // the run that was found has another cause, unless both steps have the same one
		r, f = unshrunk, found
	}
	duplicate := k.isDuplicate(r)
	k.known = append(k.known, unshrunk, r)
	if duplicate {
		k.countDuplicate(r, res)
		if k.c.unshrunkDir == "" {
			return nil
		}
		return os.RemoveAll(k.c.unshrunkDir)
	}
	k.findings = append(k.findings, r)
	if !k.c.KeepGoing {
		res.Last = "--keep-going continues the search after a new violation"
	}
	k.problems = errors.Join(k.problems, notShrunk, err, k.c.write(r, f))
	if r.PathFile != "" && k.c.unshrunkDir == "" {
		return isolate.NoteFound(filepath.Dir(r.PathFile))
	}
	return nil
}

// writeEarly writes a finding before its run is shrunk if there is a supervisor, because shrinking may end this
// process.
func (k *keeper) writeEarly(r *report.Report, f files, res *search.Result) {
	if !k.c.KeepGoing || !isolate.Supervised() || !k.c.shrinks(res) {
		return
	}
	if err := k.c.write(r, f); err == nil && isolate.NoteFound(filepath.Dir(r.PathFile)) == nil {
		k.c.unshrunkDir = filepath.Dir(r.PathFile)
	}
}

// whileShrinking returns ctx with the end of the search's time as its deadline, but at least leastShrinking from now.
func (k *keeper) whileShrinking(ctx context.Context) (context.Context, context.CancelFunc) {
	if k.until > 0 {
		return budget.WithDeadline(ctx, max(k.until, budget.Now()+leastShrinking))
	}
	return context.WithCancel(ctx)
}

// isDuplicate reports whether a finding is like a known one. A dead run without a proven critical step is like any of
// its kind and property, because walks find varying steps for the same cause.
func (k *keeper) isDuplicate(r *report.Report) bool { return slices.ContainsFunc(k.known, r.Like) }

// countDuplicate counts a finding that is like a known one.
func (k *keeper) countDuplicate(r *report.Report, res *search.Result) {
	k.duplicates++
	k.c.suspectFile.release(res.Finding, true)
	if !slices.ContainsFunc(k.known, r.SameAs) {
		k.unproven[r.HandledBy()]++
	}
}

// remember records the step after which a run is dead. a is the known finding; nil means none.
func (k *keeper) remember(c *critical.Result, a *accepted) error {
	if c.Step < 1 {
		return nil
	}
	dead, err := firstSteps(&k.c.sys, c.Dead, c.Step)
	if err == nil {
		k.dead = append(k.dead, deadRun{dead, a})
	}
	return err
}

// conclude reports on the whole search.
func (k *keeper) conclude(res *search.Result) (*report.Report, error) {
	if !k.c.KeepGoing && len(k.findings) > 0 {
		r := k.findings[0]
		k.addKnown(r)
		return r, errors.Join(k.problems, k.c.problem)
	}
	r := k.c.report(res)
	if k.c.KeepGoing {
		r.Findings, r.Alike, r.Ended = k.findings, k.duplicates, k.ended
	}
	r.Confirming, r.Telling = k.confirmingTime.Seconds(), k.reportingTime.Seconds()
	for _, handler := range slices.Sorted(maps.Keys(k.unproven)) {
		r.Unsure = append(r.Unsure, report.Unsure{Handler: handler, Count: k.unproven[handler]})
	}
	res.Suspect = cmp.Or(res.Suspect, k.suspect)
	k.problems = errors.Join(k.problems, k.c.suspect(r, res))
	r.Suspects += k.undecided
	r.Undecided += k.undecided
	switch {
	case len(k.findings) > 0:
		r.Verdict = search.Violation
	case k.undecided > 0:
		r.Verdict = search.Inconclusive
	}
	if slices.ContainsFunc(k.findings, func(f *report.Report) bool { return f.Kind == sim.Starvation }) {
		r.Coverage.StarvedBefore()
	}
	k.addKnown(r)
	return r, errors.Join(k.problems, k.c.problem)
}

// recover adopts the findings of a process that died.
func (k *keeper) recover(dirs []string) {
	for _, dir := range dirs {
		r, err := outfolder.ReadReport(dir)
		if errors.Is(err, fs.ErrNotExist) {
			continue // it turned out to be a duplicate
		}
		if err != nil {
			k.problems = errors.Join(k.problems, err)
			continue
		}
		if k.c.Commands != nil {
			r.Commands = k.c.Commands(filepath.Join(dir, outfolder.ErrorPath))
		}
		k.findings = append(k.findings, r)
		k.c.replaced = true
	}
}
