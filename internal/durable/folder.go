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

// Files in a folder.
const (
	manifestFile = "manifest.json"
	logFile      = "states.log"
	lockFile     = "lock"
)

// Folder is the open folder of a search, locked against other processes. It implements the log of the search.
type Folder struct {
	*statelog.Log
	Path     string
	Manifest *Manifest
	Before   int    // number of states in the log when it was opened
	Changed  string // the program that wrote the log, if it was another one, or ""
	stale    bool   // the manifest on disk does not name this program
	release  func()
}

// Mode is the purpose for which a folder is opened.
type Mode int

const (
	Begin   Mode = iota // a new search; the folder must not have one
	Resume              // continue a search, or begin it if there is none
	Recheck             // check a finished search again, perhaps with other properties; read-only
)

// Open opens a folder for the search described by a manifest with one build. Unless the mode is Recheck it creates
// the folder if necessary.
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
		err = fmt.Errorf("%s: a search is running in another process", dir)
	}
	return release, err
}

func errThere(dir string) error {
	return fmt.Errorf("%s holds a search already: --resume continues it, or use another folder", dir)
}

func (f *Folder) open(want *Manifest, mode Mode) error {
	name := filepath.Join(f.Path, logFile)
	there, err := Load(f.Path)
	switch {
	case errors.Is(err, os.ErrNotExist):
		if _, err := os.Lstat(name); err == nil {
			return fmt.Errorf("%s has states of a search, but no manifest: use another folder", f.Path)
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

// compare rejects another configuration.
func (f *Folder) compare(there, want *Manifest, mode Mode) error {
	as := *want
	if mode == Recheck {
		as.Properties = there.Properties
	}
	if err := there.refuse(f.Path, &as); err != nil {
		if !slices.Equal(there.Properties, want.Properties) && len(there.differences(&as)) == 1 {
			err = fmt.Errorf("%w; on a finished search, macemc durable recheck evaluates other properties", err)
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

// refuse returns an error that names the differences between two configurations, or nil.
func (m *Manifest) refuse(dir string, want *Manifest) error {
	if differ := m.differences(want); len(differ) > 0 {
		return fmt.Errorf("%s holds a search of another configuration: %s; give the same flags, or use another folder",
			dir, strings.Join(differ, "; "))
	}
	return nil
}

// finished rejects the log of an unfinished search.
func (f *Folder) finished(err error) error {
	if err != nil {
		return err
	}
	end := f.Log.End()
	if end.States == 0 || end.Expanded < end.States {
		f.Log.Close()
		return fmt.Errorf("%s: the search is not finished, %d states wait; finish it with macemc search --resume without --depth",
			f.Path, end.States-end.Expanded)
	}
	f.Before = end.States
	return nil
}

// Close writes all buffered data and unlocks the folder. It returns the error of the first failed write, if any.
func (f *Folder) Close() error {
	err := f.Log.Close()
	f.release()
	return err
}

// Append implements [explore.Log]. The first block of another program adds that program to the manifest.
func (f *Folder) Append(b *explore.Block) error {
	if f.stale {
		if err := f.Manifest.write(f.Path); err != nil {
			return err
		}
		f.stale = false
	}
	return f.Log.Append(b)
}

// Of returns the manifest of a folder, which must hold a search.
func Of(dir string) (*Manifest, error) {
	m, err := Load(dir)
	if errors.Is(err, os.ErrNotExist) {
		err = fmt.Errorf("%s holds no search; begin one with macemc search SYSTEM --strategy bfs --durable DIR", dir)
	}
	return m, err
}

// State is the content of a folder that was not opened for a search.
type State struct {
	Manifest *Manifest
	Log      *statelog.Log // the caller must close it; nil for a search by random walks, see [RunsIn]
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

// NewBuild describes this program, with seeded bugs.
func NewBuild(program string, bugs []string, instant uint64) Build {
	return Build{Program: program, Binary: binary(), Bugs: bugs, Began: time.Now().UTC().Truncate(time.Second), Instant: instant}
}
