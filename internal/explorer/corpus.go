package explorer

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/macemc/macemc/internal/explorer/minimize"
	"github.com/macemc/macemc/internal/explorer/schedulefile"
	"github.com/macemc/macemc/internal/explorer/summary"
	"github.com/macemc/macemc/internal/outfile"
	"github.com/macemc/macemc/internal/testflags"
	"github.com/macemc/macemc/internal/testsched"
)

// folder returns the folder of a test's findings. The working directory is the folder of the package.
func folder(test string) string { return filepath.Join("testdata", "macemc", testflags.TestPath(test)) }

// removeEmpty removes a folder of findings, and those above it, if they are empty. testdata stays unless made is true:
// this process has made it.
func removeEmpty(dir string, made bool) {
	for ; os.Remove(dir) == nil; dir = filepath.Dir(dir) {
		if parent := filepath.Base(filepath.Dir(dir)); filepath.Base(dir) == "testdata" || parent == "testdata" && !made {
			return
		}
	}
}

// stored returns the stored schedules of a unit. Other files in the folder, such as error.path, belong to checked systems.
func stored(u testsched.Unit) (list []*schedulefile.Stored, err error) {
	files, err := os.ReadDir(folder(u.Test))
	if err == nil && len(files) == 0 {
		removeEmpty(folder(u.Test), false)
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	for _, e := range files {
		if ok, _ := filepath.Match("*-[0-9]*.path", e.Name()); !ok {
			continue
		}
		file := filepath.Join(folder(u.Test), e.Name())
		f, err := schedulefile.Load(file)
		if err == nil {
			if !owns(u, f.Unit) {
				continue
			}
			err = f.Check(u)
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		list = append(list, f)
	}
	return list, nil
}

// storeUnconfirmed stores a finding that is not yet confirmed or minimized, and its summary in case this process ends before it is.
func (s *Settings) storeUnconfirmed(c *Config, r *Result, o *testsched.Outcome, not string) {
	file, created := s.keep(c, &minimize.Result{Schedule: r.Found, Outcome: o}, false)
	s.discard(file)
	if created {
		s.provisional.file = file
	}
	note := o.Title() + " " + summary.EndedBefore + not + ")"
	if file != "" {
		note += "\n" + s.replayLines(c, file)
	} else {
		note += "\nthe schedule could not be stored: " + s.unstored.Error()
	}
	s.summarizeAs(summary.Suspect, c.Unit, r, note)
}

// provisionalFile is the file of a finding that is not yet confirmed or minimized.
type provisionalFile struct {
	file string // an empty string means none
	made bool   // the process has made testdata
}

// discard removes the file of the unconfirmed finding, unless it is the given file.
func (s *Settings) discard(file string) {
	if old := s.provisional.file; old != "" && old != file {
		os.Remove(old)
		removeEmpty(filepath.Dir(old), s.provisional.made)
		s.provisional.file = ""
	}
}

// store stores a confirmed finding and returns its file, or an empty string if it could not be written.
func (s *Settings) store(c *Config, m *minimize.Result) string {
	file, _ := s.keep(c, m, true)
	s.discard(file)
	s.provisional.file = ""
	return file
}

// keep writes a finding to a new file, or over the file of the unconfirmed finding, and sets s.unstored. created is false if another file
// holds the same text, or the same finding without data races. A confirmed finding replaces one that only the race detector can show.
func (s *Settings) keep(c *Config, m *minimize.Result, confirmed bool) (file string, created bool) {
	s.unstored = nil
	f := &schedulefile.Stored{Unit: c.Unit, Begins: s.binary.Stage == testsched.StageBegin,
		Finding: m.Outcome.Title(), Shows: m.Outcome.Shows, Race: c.Race, Flags: s.flags.Of(c.Test),
		Schedule: *m.Schedule}
	if m.Critical > 0 {
		e := m.Outcome.Trace[m.Critical-1]
		f.CriticalWho, f.CriticalPlace, f.Hash = e.Who, e.Place, m.Outcome.Hash
	}
	var b strings.Builder
	f.WriteTo(&b)
	dir := folder(c.Test)
	kind := strings.ReplaceAll(string(m.Outcome.Kind), " ", "-")
	for n := 1; ; n++ {
		file = filepath.Join(dir, fmt.Sprintf("%s-%d.path", kind, n))
		old, err := os.ReadFile(file)
		same := err == nil && schedulefile.Same(string(old), b.String())
		if same && (m.Critical == 0 || string(old) == b.String()) {
			return file, file == s.provisional.file
		}
		if err == nil && !same && file != s.provisional.file {
			switch g, err := schedulefile.Read(bytes.NewReader(old)); {
			case err != nil || !f.ButRaces(g):
				continue
			case f.Race:
				return file, false
			case !confirmed:
				continue
			}
		}
		_, missing := os.Stat(filepath.Dir(folder("")))
		s.provisional.made = s.provisional.made || missing != nil
		if s.unstored = os.MkdirAll(dir, 0o777); s.unstored != nil {
			return "", false
		}
		if s.unstored = outfile.Replace(file, []byte(b.String()), 0o666); s.unstored != nil {
			removeEmpty(dir, s.provisional.made)
			return "", false
		}
		return file, !same
	}
}

// replayLines returns the commands that replay a schedule, debug it, and draw it.
func (s *Settings) replayLines(c *Config, file string) string {
	return fmt.Sprintf("replay: %s\ndebug:  macemc mdb %[2]s\ngraph:  macemc graph %[2]s", replayCommand(s, c, file), s.shown(file))
}

// replayCommand returns the command that replays a schedule, which may have been recorded in another build.
func replayCommand(s *Settings, c *Config, file string) string {
	as := *c
	if f, err := schedulefile.Load(file); err == nil {
		as.Race = f.Race
	}
	flags, args := s.command(&as)
	return fmt.Sprintf("macemc test %s -schedule %s %s%s", flags, s.shown(file), c.Package, args)
}

// command returns the flags of go test that execute a test as it is executed here, and what follows the package.
func (s *Settings) command(c *Config) (flags, args string) {
	if c.Race {
		flags = "-race "
	}
	flags += "-run '" + s.flags.Selection(c.Test) + "'"
	f := s.flags
	f.Run = ""
	more, rest, has := strings.Cut(f.Of(c.Test), "-args ")
	if more = strings.TrimSpace(more); more != "" {
		flags += " " + more
	}
	if has {
		args = " -args " + rest
	}
	return flags, args
}

// shown returns the name of a file from the user's folder.
func (s *Settings) shown(file string) string {
	if abs, err := filepath.Abs(file); err == nil && s.folder != "" {
		if rel, err := filepath.Rel(s.folder, abs); err == nil {
			return rel
		}
	}
	return file
}
