package check

import (
	"context"
	"fmt"

	"github.com/macemc/macemc/choose"
	"github.com/macemc/macemc/internal/recording"
	"github.com/macemc/macemc/internal/wire"
	"github.com/macemc/macemc/sim"
	"github.com/macemc/macemc/systems/spec"
)

// Recorded is the system that recordings of live nodes belong to, as a subject without fault limits of
// its own, one of the entries, with the recordings and the codec of its messages.
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

// MergeRecordings makes one run of the recordings of all nodes in a folder.
func MergeRecordings(entries []spec.Entry, dir string) (*recording.Merged, error) {
	s, set, codec, err := Recorded(entries, dir)
	if err != nil {
		return nil, err
	}
	h := s.Header(1)
	h.Note = "recorded by live nodes"
	return recording.Merge(s.System, set, codec, h)
}

// Header says which system the run belongs to.
func (t *Source) Header() choose.Header { return t.file.Header }

// On follows the run on sys, which must be its own; only fault limits may differ.
func (t *Source) On(ctx context.Context, sys *sim.System) (*Loaded, error) {
	if err := checkHeader(t.file.Header, sys); err != nil {
		return nil, t.headerError(err)
	}
	return t.load(ctx, sys, nil)
}
