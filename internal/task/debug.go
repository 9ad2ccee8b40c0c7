package task

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/macemc/macemc/internal/check"
	"github.com/macemc/macemc/internal/check/outfolder"
	"github.com/macemc/macemc/internal/replay"
	"github.com/macemc/macemc/mdb"
)

// Debug opens a run in the debugger.
type Debug struct {
	File, Live string
	Subject    // if its System is not empty, the run is the first boots of this system, and File is empty
	Batch      bool
	Execute    []string // nil means that none were given
	NoColor    bool

	program *asker // the one that gave the order, whose debugger reads variables; nil means that there was no order
}

// Validate implements [Task].
func (d *Debug) Validate() error { return d.Subject.validate() }

// Do implements [Task].
func (d *Debug) Do(ctx context.Context, p *Process) error {
	l, done, err := d.load(ctx, p)
	if done || err != nil {
		return err
	}
	s, err := d.open(ctx, p, l)
	if err != nil {
		return err
	}
	return d.Run(ctx, p, s)
}

// load loads the run. A nil path means only the first boots.
func (d *Debug) load(ctx context.Context, p *Process) (l *check.Loaded, done bool, err error) {
	if d.System == "" {
		return p.load(ctx, d.File)
	}
	s, err := d.Subject.build(p)
	return &check.Loaded{System: s.System, Header: replay.HeaderOf(&s.System, s.Header(0))}, false, err
}

// Run runs a session: its commands, the screen, or the prompt.
func (d *Debug) Run(ctx context.Context, p *Process, s *mdb.Session) error {
	s.Begin(d.Execute == nil && !d.Batch)
	if d.Batch {
		return d.batch(ctx, p, s)
	}
	var first bytes.Buffer
	execute := d.Execute
	if len(execute) == 0 {
		if execute = []string{"info"}; s.Position().Step > 0 {
			execute = append(execute, "step", "graph -4 +2")
		}
	}
	_ = mdb.Batch(ctx, s, execute, &first) // which shows errors
	why := p.NoScreen
	if why == "" {
		err := p.Screen(ctx, s, ScreenOptions{NoColor: d.NoColor, Text: first.String()})
		if err == nil {
			return nil
		}
		why = err.Error()
	}
	fmt.Fprintf(p.Stderr, "macemc: no screen, %s; type commands, \"help\" lists them\n", why)
	if _, err := p.Stdout.Write(first.Bytes()); err != nil {
		return err
	}
	return p.prompt(ctx, s)
}

// open opens the session.
func (d *Debug) open(ctx context.Context, p *Process, l *check.Loaded) (*mdb.Session, error) {
	cfg := mdb.Config{
		System: &l.System, Header: l.Header, Path: l.Path, Name: d.File, CriticalTransition: mdb.ReadCriticalTransition(d.File),
		WriteTest: p.WriteTest,
	}
	if u := l.Unsafe; u != nil {
		if u.Step == 0 {
			return nil, fmt.Errorf("%s: nothing to debug, the initial boots are not executed here: %s; %s replay %s shows the run",
				d.File, u.Why, p.Program, ShellWord(d.File))
		}
		cfg.End = fmt.Sprintf("step %d is not executed here: %s", u.Step, u.Why)
	}
	if d.program != nil && d.File != "" {
		cfg.Inspect = d.program.Inspect
	}
	if d.System != "" {
		cfg.LiveName = "the run is the first state of the system"
	} else if err := p.liveRun(ctx, &cfg, d.File, d.Live); err != nil {
		return nil, err
	}
	s, err := mdb.Open(cfg)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", cmp.Or(d.File, d.System), err)
	}
	return s, nil
}

// batch executes the given commands, or those on standard input.
func (d *Debug) batch(ctx context.Context, p *Process, s *mdb.Session) error {
	lines := d.Execute
	if lines == nil {
		in := bufio.NewScanner(p.Stdin)
		for in.Scan() {
			lines = append(lines, in.Text())
		}
		if err := in.Err(); err != nil {
			return fmt.Errorf("standard input, line %d: %w", len(lines)+1, err)
		}
	}
	return mdb.Batch(ctx, s, lines, p.Stdout)
}

// prompt reads commands from standard input.
func (p *Process) prompt(ctx context.Context, s *mdb.Session) error {
	interrupts := make(chan struct{}, 1)
	interrupt := func() bool {
		select {
		case interrupts <- struct{}{}:
			return true
		default: // the command in progress does not end
			return false
		}
	}
	p.interrupt.Store(&interrupt)
	defer p.interrupt.Store(nil)
	return mdb.Prompt(ctx, s, p.Stdin, p.Stdout, interrupts)
}

// liveRun adds the run for comparison: the named one, or live.path beside the file. An unusable live.path is only
// mentioned.
func (p *Process) liveRun(ctx context.Context, cfg *mdb.Config, file, live string) error {
	asked := live != ""
	if !asked {
		if filepath.Base(file) == outfolder.LivePath {
			return nil
		}
		live = filepath.Join(filepath.Dir(file), outfolder.LivePath)
		if _, err := os.Stat(live); errors.Is(err, fs.ErrNotExist) {
			cfg.LiveName = "there is no " + outfolder.LivePath + " beside the file"
			return nil
		}
	}
	l, err := check.LoadFor(ctx, live, cfg.System, nil)
	if err == nil {
		cfg.Live, cfg.LiveName = l.Path, live
		return nil
	}
	if asked {
		return err
	}
	fmt.Fprintf(p.Stderr, "macemc: no live run to compare with: %s\n", strings.ReplaceAll(err.Error(), "\n", "; "))
	cfg.LiveName = err.Error()
	return nil
}
