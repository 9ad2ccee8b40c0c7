package outfolder

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"

	"github.com/macemc/macemc/internal/infile"
	"github.com/macemc/macemc/internal/outfile"
	"github.com/macemc/macemc/internal/report"
	"github.com/macemc/macemc/internal/report/render"
)

// Root is the default parent of output folders.
const Root = "macemc-out"

// Names of files in the folder of a finding.
const (
	ErrorPath  = "error.path"
	LivePath   = "live.path"     // the nearest live run
	Original   = "original.path" // the run before it was shrunk
	ReportStem = "report"        // reports append the extension of their format
	ReportPage = ReportStem + ".html"
	ReportJSON = ReportStem + ".json"
)

// findingFiles returns the names of all files that a folder of a finding may contain.
func findingFiles() []string {
	names := []string{ErrorPath, LivePath, Original}
	for _, f := range render.FolderFormats() {
		names = append(names, ReportStem+f.Ext)
	}
	return names
}

// ReadReport reads the report in the folder of a finding.
func ReadReport(dir string) (*report.Report, error) {
	r := new(report.Report)
	text, err := infile.Read(filepath.Join(dir, ReportJSON))
	if err == nil {
		err = json.Unmarshal(text, r)
	}
	return r, err
}

// IsFinding reports whether a check wrote a finding into the folder: its report names the path file beside it.
func IsFinding(dir string) bool {
	r, err := ReadReport(dir)
	return err == nil && r.PathFile != "" &&
		filepath.Base(r.PathFile) == ErrorPath && filepath.Base(filepath.Dir(r.PathFile)) == filepath.Base(dir)
}

// replaceable reports whether a finding can be written to the folder: it contains an earlier finding, or no file with
// a name that a finding needs.
func replaceable(dir string) (bool, error) {
	if IsFinding(dir) {
		return true, nil
	}
	entries, err := os.ReadDir(dir)
	return !slices.ContainsFunc(entries, func(e os.DirEntry) bool { return slices.Contains(findingFiles(), e.Name()) }), err
}

// removeFindings removes the findings in a folder and, if numbered, in its numbered folders, and nothing else.
func removeFindings(dir string, numbered bool) error {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	folders := []string{dir}
	for _, e := range entries {
		if n, bad := strconv.Atoi(e.Name()); numbered && bad == nil && n > 0 && e.IsDir() {
			folders = append(folders, filepath.Join(dir, e.Name()))
		}
	}
	for i, in := range folders {
		if !IsFinding(in) {
			continue
		}
		for _, name := range findingFiles() {
			if e := os.Remove(filepath.Join(in, name)); e != nil && !errors.Is(e, fs.ErrNotExist) {
				err = errors.Join(err, e)
			}
		}
		if i > 0 {
			_ = os.Remove(in) // it stays if it is not empty
		}
	}
	return err
}

// Ignore makes git ignore a folder of findings unless the folder already has a .gitignore file. In the folder of tests,
// schedules are worth committing. The paths that tests replay lie elsewhere.
func Ignore(dir string) error {
	text := ignoredInTests
	if filepath.Base(dir) == Root {
		text = ignored
	}
	if err := outfile.Create(filepath.Join(dir, ".gitignore"), []byte(text)); !errors.Is(err, fs.ErrExist) {
		return err
	}
	return nil
}

const ignored = `# Findings of macemc, each in a new folder. No folder is replaced; remove what is not needed.
# To keep a run as a regression test, use --write-test. It copies the path to testdata/regress; commit
# that folder.
*
`

const ignoredInTests = `# Findings of macemc. Do not commit them: the next search of the same test replaces them.
# To keep a run as a regression test, use --write-test or -macemc.write-test. It copies the path to
# testdata/regress; commit that folder. Schedules of "macemc test", such as deadlock-1.path, can be
# committed here: it executes them first.
*
!*/
!*-[0-9]*.path
`
