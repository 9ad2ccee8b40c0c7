package check

import (
	"context"
	"fmt"

	"github.com/macemc/macemc/internal/pathfile"
	"github.com/macemc/macemc/internal/recording"
	"github.com/macemc/macemc/internal/wire"
	"github.com/macemc/macemc/sim"
	"github.com/macemc/macemc/systems/spec"
)

// Recorded returns the system of recordings of live nodes, one of the entries, as a subject without fault limits of
// its own. It also returns the recordings and the codec of their messages.
func Recorded(entries []spec.Entry, dir string) (s Subject, set *recording.Set, codec *wire.Types, err error) {
	if set, err = recording.ReadDir(dir); err != nil {
		return s, nil, nil, err
	}
	h := set.Header
	e, err := spec.Find(entries, h.System)
	if err != nil {
		return s, nil, nil, fmt.Errorf("%s: %w", dir, err)
	}
	s, err = NewSubject(e, Wanted{
		Config: spec.Config{Nodes: h.Nodes, Params: h.Params, Bugs: h.Bugs},
		Limits: func(l *sim.Limits) { *l = sim.Limits{} },
	})
	if err != nil {
		return s, nil, nil, fmt.Errorf("%s: %w", dir, err)
	}
	if codec, err = wire.NewTypes(s.Entry.Messages...); err != nil {
		return s, nil, nil, fmt.Errorf("%s: %w", dir, err)
	}
	return s, set, codec, nil
}

// MergeRecordings merges the recordings of all nodes in a folder into one run.
func MergeRecordings(entries []spec.Entry, dir string) (*recording.Merged, error) {
	s, set, codec, err := Recorded(entries, dir)
	if err != nil {
		return nil, err
	}
	h := s.Header(1)
	h.Note = "recorded by live nodes"
	return recording.Merge(s.System, set, codec, h)
}

// Header returns the header, which identifies the system.
func (t *Source) Header() pathfile.Header { return t.file.Header }

// On replays the run on sys, which must be its own system. Only fault limits may differ.
func (t *Source) On(ctx context.Context, sys *sim.System) (*Loaded, error) {
	if err := checkHeader(t.file.Header, sys); err != nil {
		return nil, t.headerError(err)
	}
	return t.load(ctx, sys, nil)
}
