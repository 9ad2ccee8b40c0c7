package task

import (
	"context"
	"fmt"
	"slices"

	"github.com/macemc/macemc/internal/check"
	"github.com/macemc/macemc/internal/check/exitcode"
	"github.com/macemc/macemc/search"
	"github.com/macemc/macemc/sim"
)

// Critical finds the critical transition of a run.
type Critical struct {
	File  string
	Walks check.CriticalOptions
	JSON  bool
	Given Given
}

// Validate implements [Task].
func (c *Critical) Validate() error {
	return walkNumbers(&c.Walks.WalkOptions).check(c.Given)
}

// Do implements [Task].
func (c *Critical) Do(ctx context.Context, p *Process) error {
	l, done, err := p.load(ctx, c.File)
	if done || err != nil {
		return err
	}
	if u := l.Unsafe; u != nil {
		return fmt.Errorf("%s: the finding is a %s, not a liveness violation: %s; %s replay %s shows the run",
			c.File, l.Header.Finding, u.Why, p.Program, ShellWord(c.File))
	}
	if err := knownProperty(&l.System, c.Walks.Property); err != nil {
		return err
	}
	if name := c.Walks.Property; name != "" && !slices.ContainsFunc(l.System.Properties, func(p sim.Property) bool { return p.Name == name }) {
		return fmt.Errorf("--property %s is not a liveness property", c.Walks.Property)
	}
	rep, err := check.Critical(ctx, l, c.Walks)
	if err != nil {
		return err
	}
	if c.JSON || rep.Verdict == search.Violation {
		return p.StatusError(ctx, p.show(ctx, rep, c.JSON), nil)
	}
	for _, x := range rep.Critical.Probes {
		fmt.Fprintf(p.Stdout, "from step %d: %d of %d walks of %d steps reached a live state\n",
			x.Step, x.Recovered, x.Walks, x.Limit)
	}
	if rep.Verdict == search.OK {
		fmt.Fprintln(p.Stdout, "The run is not dead: walks from its last state recover.")
		return nil
	}
	fmt.Fprintln(p.Stdout, "This is inconclusive; longer walks (--walk-steps) may decide it.")
	return Exit(exitcode.Inconclusive)
}
