package testsched

import (
	"fmt"
	"os"
	"path/filepath"
	"sort"
	"strings"
)

// folder is where the findings of a test are kept.
func folder(test string) string { return filepath.Join("testdata", "macemc", test) }

// stored returns the schedules that were kept for a test. Other files in the folder, such as error.path, are those of a checked system.
func stored(test string) (list []*Stored, err error) {
	files, _ := filepath.Glob(filepath.Join(folder(test), "*-[0-9]*.path"))
	sort.Strings(files)
	for _, file := range files {
		f, err := load(file)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		list = append(list, f)
	}
	return list, nil
}

func load(file string) (*Stored, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return Read(f)
}

// suspect keeps a finding that is not yet confirmed or minimized, and what the command is to say of it if this process is ended before.
func (s *Settings) suspect(c *Config, r *Result, o *Outcome, not string) {
	file, created := s.keep(c, &Minimized{Schedule: r.Found, Outcome: o})
	s.discard(file)
	if created {
		s.suspected = file
	}
	note := fmt.Sprintf("%s (the process ended before this was %s)", o.Title(), not)
	if file != "" {
		note += "\n" + replayLine(c, file)
	}
	s.summarize(c.Test, r, note)
}

// discard removes the file of a suspected finding, unless it is the given one.
func (s *Settings) discard(file string) {
	if s.suspected != "" && s.suspected != file {
		os.Remove(s.suspected)
		s.suspected = ""
	}
}

// store keeps a finding and returns its file; empty means that there is none.
func (s *Settings) store(c *Config, m *Minimized) string {
	file, _ := s.keep(c, m)
	s.discard(file)
	s.suspected = ""
	return file
}

// keep writes a finding into a file of its own, or into that of the same finding as it was suspected.
func (s *Settings) keep(c *Config, m *Minimized) (file string, created bool) {
	f := &Stored{Package: c.Package, Test: c.Test, Finding: m.Outcome.Title(), Schedule: *m.Schedule}
	if m.Critical > 0 {
		e := m.Outcome.Trace[m.Critical-1]
		f.CriticalWho, f.CriticalPlace = e.Who, e.Place
	}
	var b strings.Builder
	f.WriteTo(&b)
	dir := folder(c.Test)
	kind := strings.ReplaceAll(string(m.Outcome.Kind), " ", "-")
	for n := 1; ; n++ {
		file = filepath.Join(dir, fmt.Sprintf("%s-%d.path", kind, n))
		old, err := os.ReadFile(file)
		if err == nil && string(old) == b.String() {
			return file, file == s.suspected
		}
		if err == nil && file != s.suspected {
			continue
		}
		if err := os.MkdirAll(dir, 0o777); err != nil {
			return "", false
		}
		temp := file + ".tmp" // what is there stays until the new text is complete
		err = os.WriteFile(temp, []byte(b.String()), 0o666)
		if err == nil {
			err = os.Rename(temp, file)
		}
		if err != nil {
			os.Remove(temp)
			return "", false
		}
		return file, true
	}
}

// replayLine is the command that executes a schedule again, the one that opens it in the debugger, and the one that draws it.
func replayLine(c *Config, file string) string {
	return fmt.Sprintf("replay: macemc test -run '%s' -schedule %s %s\ndebug:  macemc mdb %s\ngraph:  macemc graph %s", Pattern(c.Test), file, c.Package, file, file)
}
