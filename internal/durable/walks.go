package durable

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc64"
	"os"
	"path/filepath"
	"strings"
)

// Walks are what else two searches by random walks must have in common.
type Walks struct {
	Strategy  string `json:"strategy"`
	Seed      uint64 `json:"seed"`
	Steps     int    `json:"walk_steps"`
	Schedules string `json:"schedules"`
}

func (w *Walks) settings() [][2]string {
	return [][2]string{{"strategy", w.Strategy}, {"seed", fmt.Sprint(w.Seed)}, {"walk-steps", fmt.Sprint(w.Steps)}, {"schedules", w.Schedules}}
}

// Runs is what a search by random walks keeps, open, and locked against other processes: a report of each stretch of runs that is over.
type Runs struct {
	Path    string
	Reports [][]byte // of the stretches, in their order
	release func()
}

// OpenRuns opens a folder for what a manifest says, which has one build and Walks. What another build did is not told from what this one does, so it is refused.
func OpenRuns(dir string, want *Manifest, mode Mode) (*Runs, error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, err
	}
	release, err := hold(dir)
	if err != nil {
		return nil, err
	}
	r := &Runs{Path: dir, release: release}
	if err := r.open(want, mode); err != nil {
		release()
		return nil, err
	}
	return r, nil
}

func (r *Runs) open(want *Manifest, mode Mode) error {
	there, err := Load(r.Path)
	switch {
	case errors.Is(err, os.ErrNotExist):
		if left, _ := filepath.Glob(filepath.Join(r.Path, stretchFiles)); len(left) > 0 {
			return fmt.Errorf("%s has runs of a search, but no manifest that says of which: begin in another folder", r.Path)
		}
		want.Format = format
		return want.write(r.Path)
	case err != nil:
		return err
	case mode == Begin:
		return errThere(r.Path)
	}
	if err := there.refuse(r.Path, want); err != nil {
		return err
	}
	if build := &there.Builds[0]; !build.Same(&want.Builds[0]) {
		return fmt.Errorf("%s holds runs of another program (%s, from %s): they are not executed again, so that what it did cannot be compared; begin in another folder",
			r.Path, strings.TrimSpace(build.Program+" "+strings.Join(build.Bugs, " ")), build.Began.Format("2006-01-02 15:04:05"))
	}
	r.Reports, err = stretches(r.Path)
	return err
}

const stretchFiles = "runs-*.json"

func stretchFile(n int) string { return fmt.Sprintf("runs-%06d.json", n) }

// stretch is what is in a file.
type stretch struct {
	Sum    string          `json:"sum"` // CRC-64 of what follows
	Report json.RawMessage `json:"report"`
}

var crcTable = crc64.MakeTable(crc64.ECMA)

func sumOf(report []byte) string { return fmt.Sprintf("%016x", crc64.Checksum(report, crcTable)) }

// stretches reads what is kept: all stretches from the first one on, none of which may be missing or damaged.
func stretches(dir string) (reports [][]byte, err error) {
	names, err := filepath.Glob(filepath.Join(dir, stretchFiles))
	if err != nil {
		return nil, err
	}
	for n := range names {
		name := filepath.Join(dir, stretchFile(n+1))
		data, err := os.ReadFile(name)
		if err != nil {
			return nil, fmt.Errorf("of %d stretches of runs one is missing: %w", len(names), err)
		}
		var s stretch
		if err := json.Unmarshal(data, &s); err != nil || s.Sum != sumOf(s.Report) {
			return nil, fmt.Errorf("%s is damaged: what it says of its runs is not to be believed; remove it and those behind it, and they are made again", name)
		}
		reports = append(reports, s.Report)
	}
	return reports, nil
}

// Keep keeps the report of the next stretch.
func (r *Runs) Keep(report []byte) error {
	var compact bytes.Buffer
	if err := json.Compact(&compact, report); err != nil {
		return err
	}
	data, err := json.Marshal(stretch{sumOf(compact.Bytes()), compact.Bytes()})
	if err == nil {
		err = writeWhole(r.Path, stretchFile(len(r.Reports)+1), data)
	}
	if err == nil {
		r.Reports = append(r.Reports, compact.Bytes())
	}
	return err
}

// Close lets go of the folder.
func (r *Runs) Close() { r.release() }

// RunsIn are the reports in a folder whose manifest has Walks.
func RunsIn(dir string) (reports [][]byte, err error) { return stretches(dir) }
