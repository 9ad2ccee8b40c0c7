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

	"github.com/macemc/macemc/internal/infile"
)

// Runs is the open folder of a search that executes runs, locked against other processes. It has a report for each
// finished batch of runs, and the progress that the exhaustive part made in it.
type Runs struct {
	Path    string
	Reports [][]byte // of the batches, in order
	release func()
}

// OpenRuns opens a folder for the search described by a manifest with one build and Walks. It rejects reports of
// another build, since the runs are not executed again and could differ. Reached, if not nil, is called with each
// piece of progress passed to [Runs.Keep].
func OpenRuns(dir string, want *Manifest, mode Mode, reached func(piece []byte) error) (*Runs, error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, err
	}
	release, err := hold(dir)
	if err != nil {
		return nil, err
	}
	r := &Runs{Path: dir, release: release}
	if err := r.open(want, mode, reached); err != nil {
		release()
		return nil, err
	}
	return r, nil
}

func (r *Runs) open(want *Manifest, mode Mode, reached func([]byte) error) error {
	there, err := Load(r.Path)
	switch {
	case errors.Is(err, os.ErrNotExist):
		if left, _ := filepath.Glob(filepath.Join(r.Path, batchFiles)); len(left) > 0 {
			return fmt.Errorf("%s has runs of a search, but no manifest: use another folder", r.Path)
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
		return fmt.Errorf("%s holds runs of another program (%s, from %s): they are not executed again, so their results cannot be "+
			"compared; use another folder",
			r.Path, strings.TrimSpace(build.Program+" "+strings.Join(build.Bugs, " ")), build.Began.Format("2006-01-02 15:04:05"))
	}
	r.Reports, err = batches(r.Path, reached)
	return err
}

const batchFiles = "runs-*.json"

func batchFile(n int) string { return fmt.Sprintf("runs-%06d.json", n) }
func reachFile(n int) string { return fmt.Sprintf("reach-%06d", n) }

// batch is the content of a file.
type batch struct {
	Sum    string          `json:"sum"`             // CRC-64 of the rest
	Reach  string          `json:"reach,omitempty"` // CRC-64 of the file with the progress, or ""
	Report json.RawMessage `json:"report"`
}

var crcTable = crc64.MakeTable(crc64.ECMA)

func sumOf(text []byte) string { return fmt.Sprintf("%016x", crc64.Checksum(text, crcTable)) }

// batches reads all batches. None may be missing or damaged.
func batches(dir string, reached func([]byte) error) (reports [][]byte, err error) {
	names, err := filepath.Glob(filepath.Join(dir, batchFiles))
	if err != nil {
		return nil, err
	}
	damaged := func(file string) error {
		return fmt.Errorf("%s is damaged; remove it and the files with greater numbers to execute these runs again", filepath.Join(dir, file))
	}
	for n := range names {
		data, err := infile.Read(filepath.Join(dir, batchFile(n+1)))
		if err != nil {
			return nil, fmt.Errorf("one of %d batches of runs is missing: %w", len(names), err)
		}
		var s batch
		err = json.Unmarshal(data, &s)
		if same, _ := json.Marshal(s); err != nil || !bytes.Equal(append(same, '\n'), data) ||
			s.Sum != sumOf(append([]byte(s.Reach), s.Report...)) {
			return nil, damaged(batchFile(n + 1))
		}
		reports = append(reports, s.Report)
		if s.Reach == "" || reached == nil {
			continue
		}
		piece, err := infile.Read(filepath.Join(dir, reachFile(n+1)))
		switch {
		case err != nil:
			return nil, fmt.Errorf("the progress of batch %d of the runs is missing: %w", n+1, err)
		case sumOf(piece) != s.Reach:
			return nil, damaged(reachFile(n + 1))
		}
		if err := reached(piece); err != nil {
			return nil, fmt.Errorf("%s: %w", filepath.Join(dir, reachFile(n+1)), err)
		}
	}
	return reports, nil
}

// Keep stores the report of the next batch, and its progress; nil means none.
func (r *Runs) Keep(report, piece []byte) error {
	var compact, written bytes.Buffer
	if err := json.Compact(&compact, report); err != nil {
		return err
	}
	json.HTMLEscape(&written, compact.Bytes()) // as json.Marshal does
	n, s := len(r.Reports)+1, batch{Report: written.Bytes()}
	if piece != nil {
		s.Reach = sumOf(piece)
		if err := writeWhole(r.Path, reachFile(n), piece); err != nil {
			return err
		}
	}
	s.Sum = sumOf(append([]byte(s.Reach), s.Report...))
	data, err := json.Marshal(s)
	if err == nil {
		err = writeWhole(r.Path, batchFile(n), append(data, '\n'))
	}
	if err == nil {
		r.Reports = append(r.Reports, s.Report)
	}
	return err
}

// Close unlocks the folder.
func (r *Runs) Close() { r.release() }

// RunsIn returns the reports in a folder with Walks in its manifest. It reads and checks all files.
func RunsIn(dir string) (reports [][]byte, err error) {
	return batches(dir, func([]byte) error { return nil })
}
