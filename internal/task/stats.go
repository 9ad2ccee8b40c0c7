package task

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/macemc/macemc/internal/check"
	"github.com/macemc/macemc/internal/stats"
	"github.com/macemc/macemc/internal/textfmt"
	"github.com/macemc/macemc/search"
)

// Stats measures how long random walks take to live states. Its fields are the flags of the command of that name.
type Stats struct {
	Subject
	Walks, WalkSteps, Workers int
	Seed                      uint64
	SVG                       string // the file; "": none
	JSON                      bool
}

// Validate implements [Task].
func (f *Stats) Validate() error {
	if err := f.Subject.validate(); err != nil {
		return err
	}
	if f.Seed == 0 {
		return errors.New("--seed is 0, must be at least 1")
	}
	return numbers{{"walks", f.Walks, 1}, {"walk-steps", f.WalkSteps, 1}, {"workers", f.Workers, 1}}.check(f.Given)
}

// config is what is to be measured.
func (f *Stats) config(p *Process) (stats.Config, error) {
	var none stats.Config
	subject, err := f.Subject.build(p)
	if err != nil {
		return none, err
	}
	sys := subject.System
	if f.Property != "" {
		if err := knownProperty(&sys, f.Property); err != nil {
			return none, err
		}
		if sys, err = sys.Only(f.Property); err != nil {
			return none, err
		}
	}
	var usual search.Config
	if err := bugDefaults(&subject, &usual); err != nil {
		return none, err
	}
	if f.Weights != "" {
		if usual.Weights, err = check.ParseWeights(f.Weights, usual.Weights); err != nil {
			return none, fmt.Errorf("--weights: %w", err)
		}
	}
	return stats.Config{
		System: sys, Bugs: subject.Config.Bugs, Walks: f.Walks, WalkSteps: f.WalkSteps, Weights: usual.Weights, Seed: f.Seed, Workers: f.Workers,
	}, nil
}

// PlotMark tells a plot that this command wrote.
const PlotMark = "<!-- Written by macemc stats. -->"

// Do implements [Task].
func (f *Stats) Do(ctx context.Context, p *Process) error {
	cfg, err := f.config(p)
	if err != nil {
		return err
	}
	file := Generated{f.SVG, PlotMark}
	if f.SVG != "" {
		if err := file.Check(); err != nil {
			return fmt.Errorf("--svg: %w", err)
		}
	}
	line := NewStatus(p.Stderr, p.Terminal)
	defer line.Clear()
	began := time.Now()
	cfg.Progress = func(done, all int) {
		line.Tell(time.Since(began), fmt.Sprintf("%s of %s walks of each kind", textfmt.Number(done), textfmt.Number(all)))
	}
	r, err := stats.Measure(ctx, cfg)
	line.Clear()
	if err != nil {
		return err
	}
	if f.SVG != "" {
		var b bytes.Buffer
		if err := r.SVG(&b); err != nil {
			return err
		}
		text := strings.Replace(b.String(), "\n", "\n"+PlotMark+"\n", 1) // inside of the root element
		if err := file.Write([]byte(text)); err != nil {
			return fmt.Errorf("--svg: %w", err)
		}
	}
	if f.JSON {
		err = WriteJSON(p.Stdout, r)
	} else {
		err = r.Text(textfmt.Printer(p.Stdout))
	}
	if err != nil {
		return err
	}
	return ctx.Err()
}
