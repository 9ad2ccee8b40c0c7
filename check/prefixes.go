package check

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/macemc/macemc/replay"
	"github.com/macemc/macemc/search"
	"github.com/macemc/macemc/sim"
)

// SavePrefixes makes runs without faults, each to a live state, and writes n of their paths into the
// folder dir, which is made when it does not exist. It returns the names of the files. Searches can
// start from them. Fewer are written when ctx is done, or when a walk does not get to a live state.
func SavePrefixes(ctx context.Context, o Options, dir string, n int) ([]string, error) {
	sys, err := o.system()
	if err != nil {
		return nil, err
	}
	w, err := sim.NewWorld(&sys, sim.Options{})
	if err != nil {
		return nil, err
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, err
	}
	weights := o.Search.Weights
	if weights == (search.Weights{}) {
		weights = search.DefaultWeights()
	}
	steps := cmp.Or(o.Search.WalkSteps, defaultWalkSteps)
	loop := search.NewLoop(w)
	var names []string
	for k := range n {
		if ctx.Err() != nil {
			break
		}
		s := &awayAndBack{Walker: search.NewWalker(weights, steps)}
		s.Seed(cmp.Or(o.Search.Seed, 1), uint64(k))
		end := loop.Run(s, search.Task{Path: o.Search.Prefix})
		switch {
		case end.Finding != nil:
			return names, fmt.Errorf("run %d has a finding, search without --save-prefixes: %w", k+1, end.Finding)
		case end.Err != nil:
			return names, end.Err
		case end.End != search.AtGoal:
			return names, fmt.Errorf("run %d did not get to a live state within %d steps", k+1, steps)
		}
		h := o.Header
		h.Seed, h.Note = cmp.Or(o.Search.Seed, 1), "a prefix: ends in a live state"
		f, err := replay.WriteFile(&sys, h, loop.Replay().Path)
		if err != nil {
			return names, err
		}
		text, err := content(f)
		if err != nil {
			return names, err
		}
		name, err := writeNew(dir, "prefix", ".path", text)
		if err != nil {
			return names, err
		}
		names = append(names, name)
	}
	return names, nil
}

// awayAndBack is a walk that ends in a live state after it has left the live states it began in.
type awayAndBack struct {
	*search.Walker
	left bool
}

func (s *awayAndBack) Select(at *search.Node) search.Selection {
	s.left = s.left || !at.Live
	goal := at.Goal
	at.Goal = goal && s.left
	defer func() { at.Goal = goal }()
	return s.Walker.Select(at)
}

// writeNew writes a file whose name has the first number that is free.
func writeNew(dir, stem, ext string, text []byte) (string, error) {
	for n := 1; ; n++ {
		name := filepath.Join(dir, fmt.Sprintf("%s-%d%s", stem, n, ext))
		f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
		if errors.Is(err, fs.ErrExist) {
			continue
		}
		if err != nil {
			return "", err
		}
		_, err = f.Write(text)
		return name, errors.Join(err, f.Close())
	}
}
