package explorer

import (
	"fmt"
	"path/filepath"
	"strings"

	"github.com/macemc/macemc/internal/explorer/minimize"
	"github.com/macemc/macemc/internal/explorer/schedulefile"
	"github.com/macemc/macemc/internal/explorer/summary"
	"github.com/macemc/macemc/internal/testsched"
)

// storeUnconfirmed stores a finding that is not yet confirmed or minimized, and its summary in case this process ends before it is.
func (s *Settings) storeUnconfirmed(c *Config, r *Result, o *testsched.Outcome, not string) {
	file := s.store(c, &minimize.Result{Schedule: r.Found, Outcome: o}, false)
	note := o.Title() + " " + summary.EndedBefore + not + ")"
	if file != "" {
		note += "\n" + s.replayLines(c, file)
	} else {
		note += "\nthe schedule could not be stored: " + s.unstored.Error()
	}
	s.summarizeAs(summary.Suspect, c.Unit, r, note)
}

// store stores a finding and returns its file, or an empty string if it could not be written.
func (s *Settings) store(c *Config, m *minimize.Result, confirmed bool) (file string) {
	f := &schedulefile.Stored{Unit: c.Unit, Begins: s.binary.Stage == testsched.StageBegin,
		Finding: m.Outcome.Title(), Shows: m.Outcome.Shows, Race: c.Race, Flags: s.flags.Of(c.Test), Schedule: *m.Schedule}
	if m.Critical > 0 {
		e := m.Outcome.Trace[m.Critical-1]
		f.CriticalWho, f.CriticalPlace, f.Hash = e.Who, e.Place, m.Outcome.Hash
	}
	file, s.unstored = s.files.Write(f, m.Outcome.Kind, confirmed)
	return file
}

// replayLines returns the commands that replay a schedule, debug it, and draw it.
func (s *Settings) replayLines(c *Config, file string) string {
	return fmt.Sprintf("replay: %s\ndebug:  macemc mdb %[2]s\ngraph:  macemc graph %[2]s", replayCommand(s, c, file), argument(s, file))
}

// argument returns the name of a file in commands, which begins in the folder of the user, and not that of flag -C.
func argument(s *Settings, file string) string {
	if s.Options.Folder == "" {
		return s.shown(file)
	}
	return s.Options.Folder + "/" + s.shown(file)
}

// replayCommand returns the command that replays a schedule, which may have been recorded in another build.
func replayCommand(s *Settings, c *Config, file string) string {
	as := *c
	if f, err := schedulefile.Load(file); err == nil {
		as.Race = f.Race
	}
	flags, args := s.command(&as)
	return fmt.Sprintf("macemc test %s -schedule %s %s%s", flags, argument(s, file), c.Package, args)
}

// command returns the flags of go test that execute a test as it is executed here, and what follows the package.
func (s *Settings) command(c *Config) (flags, args string) {
	if s.Options.Folder != "" {
		flags = "-C " + s.Options.Folder + " "
	}
	if c.Race {
		flags += "-race "
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
