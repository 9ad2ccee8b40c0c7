package durable

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/macemc/macemc/internal/explore"
	"github.com/macemc/macemc/internal/explore/spill"
	"github.com/macemc/macemc/internal/explore/statelog"
	"github.com/macemc/macemc/internal/scratch"
)

// What is in a folder.
const (
	manifestFile = "manifest.json"
	logFile      = "states.log"
	lockFile     = "lock"
)

// Folder is what a search keeps, open, and locked against other processes. It is the log of the search.
type Folder struct {
	*statelog.Log
	Path     string
	Manifest *Manifest
	Before   int    // states that were in the log when it was opened
	Changed  string // the program that wrote the log, if it was another one; "": it was not
	stale    bool   // the manifest that is there does not name this program
	release  func()
}

// Mode says what a folder is opened for.
type Mode int

const (
	Begin   Mode = iota // a new search: there must be none
	Resume              // going on with a search, or beginning it when there is none
	Recheck             // a finished search is looked at again, perhaps with other properties: nothing is written
)

// Open opens a folder for what a manifest says, which has one build. The folder is made when it is not there.
func Open(dir string, want *Manifest, mode Mode) (*Folder, error) {
	if mode != Recheck {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			return nil, err
		}
	} else if _, err := Of(dir); err != nil {
		return nil, err
	}
	release, err := hold(dir)
	if err != nil {
		return nil, err
	}
	f := &Folder{Path: dir, release: release}
	if err := f.open(want, mode); err != nil {
		release()
		return nil, err
	}
	return f, nil
}

// hold locks a folder against other processes.
func hold(dir string) (release func(), err error) {
	release, err = scratch.Hold(filepath.Join(dir, lockFile))
	if errors.Is(err, scratch.ErrHeld) {
		err = fmt.Errorf("%s: a search is running, in another process", dir)
	}
	return release, err
}

func errThere(dir string) error {
	return fmt.Errorf("%s holds a search already: --resume goes on with it, or begin in another folder", dir)
}

func (f *Folder) open(want *Manifest, mode Mode) error {
	name := filepath.Join(f.Path, logFile)
	there, err := Load(f.Path)
	switch {
	case errors.Is(err, os.ErrNotExist):
		if _, err := os.Lstat(name); err == nil {
			return fmt.Errorf("%s has states of a search, but no manifest that says of which: begin in another folder", f.Path)
		}
		want.Format = format
		if err := want.write(f.Path); err != nil {
			return err
		}
		f.Manifest = want
	case err != nil:
		return err
	case mode == Begin:
		return errThere(f.Path)
	default:
		if err := f.compare(there, want, mode); err != nil {
			return err
		}
	}
	if mode == Recheck {
		f.Log, err = statelog.Read(name)
		return f.finished(err)
	}
	spill.Clean(f.Path)
	if f.Log, err = statelog.Open(name); err != nil {
		return err
	}
	f.Before = f.Log.End().States
	return nil
}

// compare refuses another configuration.
func (f *Folder) compare(there, want *Manifest, mode Mode) error {
	as := *want
	if mode == Recheck {
		as.Properties = there.Properties
	}
	if err := there.refuse(f.Path, &as); err != nil {
		if !slices.Equal(there.Properties, want.Properties) && len(there.differences(&as)) == 1 {
			err = fmt.Errorf("%w; over a finished search, macemc durable recheck evaluates other properties", err)
		}
		return err
	}
	last, now := &there.Builds[len(there.Builds)-1], want.Builds[0]
	f.Manifest = there
	if !last.Same(&now) {
		f.Changed, f.stale = last.Program, true
		there.Builds = append(there.Builds, now)
	}
	return nil
}

// refuse says in what another configuration differs; nil: in nothing.
func (m *Manifest) refuse(dir string, want *Manifest) error {
	if differ := m.differences(want); len(differ) > 0 {
		return fmt.Errorf("%s holds a search of another configuration: %s; give the same flags, or begin in another folder", dir, strings.Join(differ, "; "))
	}
	return nil
}

// finished refuses a log that a search is to go on with first.
func (f *Folder) finished(err error) error {
	if err != nil {
		return err
	}
	end := f.Log.End()
	if end.States == 0 || end.Expanded < end.States {
		f.Log.Close()
		return fmt.Errorf("%s: the search is not finished, %d states wait; go on with it first, by macemc search --resume without --depth", f.Path, end.States-end.Expanded)
	}
	f.Before = end.States
	return nil
}

// Close has all that was found written, and lets go of the folder. The error is that of the first write that failed, if any.
func (f *Folder) Close() error {
	err := f.Log.Close()
	f.release()
	return err
}

// Append implements [explore.Log]. What another program goes on with it is named for: it does the same.
func (f *Folder) Append(b *explore.Block) error {
	if f.stale {
		if err := f.Manifest.write(f.Path); err != nil {
			return err
		}
		f.stale = false
	}
	return f.Log.Append(b)
}

// Of is the manifest in a folder, in which there must be a search.
func Of(dir string) (*Manifest, error) {
	m, err := Load(dir)
	if errors.Is(err, os.ErrNotExist) {
		err = fmt.Errorf("%s: there is no search; macemc search SYSTEM --strategy bfs --durable DIR begins one", dir)
	}
	return m, err
}

// State is what is known of a folder without opening it for a search.
type State struct {
	Manifest *Manifest
	Log      *statelog.Log // to be closed; nil: it is of random walks, see [RunsIn]
	InUse    bool
}

// Look reads a folder, which may be in use.
func Look(dir string) (*State, error) {
	m, err := Of(dir)
	if err != nil {
		return nil, err
	}
	if m.Walks != nil {
		return &State{Manifest: m, InUse: scratch.Held(filepath.Join(dir, lockFile))}, nil
	}
	l, err := statelog.Read(filepath.Join(dir, logFile))
	if err != nil {
		return nil, err
	}
	return &State{m, l, scratch.Held(filepath.Join(dir, lockFile))}, nil
}

// NewBuild is this program, with those defects put back.
func NewBuild(program string, bugs []string) Build {
	return Build{Program: program, Binary: binary(), Bugs: bugs, Began: time.Now().UTC().Truncate(time.Second)}
}
