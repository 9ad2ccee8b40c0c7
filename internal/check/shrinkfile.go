package check

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os/exec"
	"slices"
	"time"

	"github.com/macemc/macemc/critical"
	"github.com/macemc/macemc/internal/kernel"
	"github.com/macemc/macemc/internal/outfile"
	"github.com/macemc/macemc/internal/pathfile"
	"github.com/macemc/macemc/internal/replay"
	"github.com/macemc/macemc/internal/report"
	"github.com/macemc/macemc/internal/shrink"
	"github.com/macemc/macemc/search"
	"github.com/macemc/macemc/sim"
)

// ShrinkOptions set the effort of shrinking a run. The zero value of each field is its default.
type ShrinkOptions struct {
	WalkOptions
	MaxSteps int // as in shrink.Config
	// Nodes is the number of nodes to build the system with. Shrinking continues from the part of the run that fits
	// there. 0 means the present number.
	Nodes int
	// Respawn is as in [Options]. The JSON of commands does not contain functions.
	Respawn func() *exec.Cmd `json:"-"`
	// Progress is as in [search.Config].
	Progress func(search.Progress) `json:"-"`
}

// Shrink shrinks a loaded run and returns its report. The file is the smaller run; it is nil if the run is not known
// to violate anything. Shrink writes no files.
func Shrink(ctx context.Context, l *Loaded, c ShrinkOptions) (*report.Report, *pathfile.File, error) {
	if l.Header.Endless {
		return nil, nil, errors.New("the run ends in a cycle, and such runs cannot be shrunk")
	}
	if l.Unsafe != nil && (l.Death == nil || l.Death.Running > 0) {
		return nil, nil, fmt.Errorf("the run cannot be shrunk: %s, after a time that may differ in each smaller run; "+
			"handlers that await their goroutines make it end in one step", l.Unsafe.Why)
	}
	began := time.Now()
	o := c.options(l)
	res, err := o.known(ctx, l)
	if err != nil {
		return nil, nil, err
	}
	if c.Nodes > 0 && c.Nodes != l.System.Nodes && res.Finding != nil {
		fewer, err := l.withNodes(c.Nodes)
		if err != nil {
			return nil, nil, err
		}
		o = c.options(fewer)
		there, err := o.known(ctx, fewer)
		if err != nil {
			return nil, nil, err
		}
		if f := there.Finding; f == nil || f.Kind != res.Finding.Kind || f.Property != res.Finding.Property {
			return nil, nil, fmt.Errorf("with %d nodes the run does not violate %s as it does with %d", c.Nodes,
				cmp.Or(res.Finding.Property, string(res.Finding.Kind)), l.System.Nodes)
		}
		res = there
	}
	sys := o.Search.System
	before, err := o.shrink(ctx, &sys, res)
	if err != nil {
		return nil, nil, err
	}
	if before != nil && before.refused != "" {
		return nil, nil, errors.New(before.refused)
	}
	res.Stats.Seconds = time.Since(began).Seconds()
	r := o.report(res)
	r.Strategy = "shrink"
	if res.Finding == nil {
		return r, nil, nil
	}
	if before != nil {
		r.Shrunk = &before.facts
	}
	f, err := o.describe(&sys, r, res)
	return r, f.error, err
}

func (c *ShrinkOptions) options(l *Loaded) Options {
	o := c.WalkOptions.options(l)
	o.Search.Progress, o.Search.HandlerLimit = c.Progress, lookLimit/4
	o.Respawn, o.ShrinkSteps = c.Respawn, cmp.Or(c.MaxSteps, shrink.DefaultMaxSteps) // requested for any length
	return o
}

// withNodes plays the run on the bundled system with another number of nodes. It skips the steps that do not fit.
func (l *Loaded) withNodes(n int) (*Loaded, error) {
	if l.Death != nil {
		return nil, errors.New("a run whose last step terminates the process cannot be tried with fewer nodes")
	}
	h := l.Header
	h.Nodes = n
	subject, err := FromHeader(l.entries, h)
	if err != nil {
		return nil, err
	}
	w, err := kernel.NewWorld(&l.System, kernel.Options{Contain: true})
	if err != nil {
		return nil, err
	}
	all := &shrink.Player{Run: replay.NewRun(w)}
	played, err := all.Follow(l.Path)
	if err != nil {
		return nil, err
	}
	if w, err = kernel.NewWorld(&subject.System, kernel.Options{Contain: true}); err != nil {
		return nil, err
	}
	fewer := &shrink.Player{Run: replay.NewRun(w)}
	if err := fewer.Play(played.Script).Err; err != nil {
		return nil, err
	}
	return &Loaded{System: subject.System, Header: h, Reading: replay.Reading{Path: fewer.Run.Path.Clone()}}, nil
}

// known returns the known result of a run: its finding or, without one, whether it is dead.
func (o *Options) known(ctx context.Context, l *Loaded) (*search.Result, error) {
	sys := &o.Search.System
	res := &search.Result{Verdict: search.Violation}
	if d := l.Death; d != nil {
		res.Finding = &search.Suspect{Kind: d.Kind, Message: d.Message, Stack: d.Stack, Node: -1, Path: d.Path(), Steps: d.Steps}
		res.Detail = d
		return res, nil
	}
	trace, err := replay.RecordNear(sys, l.Path, o.tracing(), replay.Outlined)
	if err != nil {
		return nil, err
	}
	found := &search.Suspect{Node: -1, Path: l.Path, Steps: len(trace.Steps), Property: l.Header.Property}
	if f := trace.Finding; f != nil {
		found.Find(f)
		found.Steps = trace.FoundAt
		res.Finding = found
		return res, nil
	}
	if !slices.ContainsFunc(sys.Properties, func(p sim.Property) bool { return p.Eventually != nil }) {
		res.Verdict = search.OK
		return res, nil
	}
	cfg := o.criticalConfig(*sys)
	cfg.Path = l.Path
	dead, err := critical.Find(ctx, cfg)
	if err != nil {
		return nil, err
	}
	if res.Verdict = criticalVerdict(dead); res.Verdict != search.Violation {
		return res, nil
	}
	found.Kind, found.Message = violationOf(dead)
	res.Finding, res.Detail = found, dead
	return res, nil
}

// WriteNew writes a path file. It refuses an existing name.
func WriteNew(name string, f *pathfile.File) error {
	text, err := content(f)
	if err != nil {
		return err
	}
	if err = outfile.Create(name, text); errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("%s exists already; nothing is overwritten", name)
	}
	return err
}
