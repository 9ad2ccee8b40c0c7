package task

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/macemc/macemc/internal/check/exitcode"
	"github.com/macemc/macemc/internal/check/outfolder"
	"github.com/macemc/macemc/internal/infile"
	"github.com/macemc/macemc/internal/report"
)

// Merge merges the reports of shards in files or below folders and prints the result. The exit status is that of the
// worst one.
func (p *Process) Merge(ctx context.Context, paths []string, asJSON bool) error {
	var s shards
	for _, path := range paths {
		if err := s.read(path); err != nil {
			return err
		}
	}
	if len(s.reports) == 0 {
		return fmt.Errorf("there is no report of a shard in %s; macemc search --shard K/N --json prints one", strings.Join(paths, ", "))
	}
	s.locate()
	merged, err := report.Merge(s.reports)
	if err != nil {
		return err
	}
	if status := p.show(ctx, merged, asJSON); status != exitcode.OK {
		return Exit(status)
	}
	return nil
}

// shards are the reports read so far, and the locations of findings.
type shards struct {
	reports []*report.Report
	errors  map[string]string // path file by the name of a finding's folder
}

func (s *shards) read(path string) error {
	info, err := os.Stat(path)
	if err != nil {
		return err
	}
	if !info.IsDir() {
		return s.file(path, true)
	}
	return filepath.WalkDir(path, func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil || d.IsDir():
			return err
		case d.Name() == outfolder.ErrorPath:
			if s.errors == nil {
				s.errors = map[string]string{}
			}
			s.errors[filepath.Base(filepath.Dir(name))] = name
		case filepath.Ext(name) == ".json":
			if _, err := os.Stat(filepath.Join(filepath.Dir(name), outfolder.ErrorPath)); errors.Is(err, fs.ErrNotExist) { // else of one finding
				return s.file(name, false)
			}
		}
		return nil
	})
}

// file reads a report. It skips other files below a folder.
func (s *shards) file(name string, named bool) error {
	data, err := infile.Read(name)
	if err != nil {
		return err
	}
	var r report.Report
	switch err := json.Unmarshal(data, &r); {
	case err != nil:
		return fmt.Errorf("%s is not a complete report: %w", name, err)
	case r.Shard == nil && named:
		return fmt.Errorf("%s is not the report of a shard; macemc search --shard K/N --json prints one", name)
	case r.Shard != nil:
		s.reports = append(s.reports, &r)
	}
	return nil
}

// locate replaces the path files in reports by the files found here: a report names them where its shard was
// executed.
func (s *shards) locate() {
	for _, r := range s.reports {
		for _, f := range append([]*report.Report{r}, r.Findings...) {
			if name, ok := s.errors[filepath.Base(filepath.Dir(f.PathFile))]; ok && f.PathFile != "" {
				f.PathFile = name
			}
		}
	}
}
