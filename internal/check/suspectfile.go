package check

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/macemc/macemc/choose"
	"github.com/macemc/macemc/internal/check/isolate"
	"github.com/macemc/macemc/internal/check/outfolder"
	"github.com/macemc/macemc/internal/kernel"
	"github.com/macemc/macemc/internal/outfile"
	"github.com/macemc/macemc/internal/pathfile"
	"github.com/macemc/macemc/internal/replay"
	"github.com/macemc/macemc/internal/report"
	"github.com/macemc/macemc/internal/simext"
	"github.com/macemc/macemc/search"
	"github.com/macemc/macemc/sim"
)

// SuspectPath is the path file of a suspect under examination. The files of the finding replace it.
const SuspectPath = "suspect.path"

// suspectFile keeps the suspect under examination on disk, from its discovery until it is reported or refuted. The file
// survives any end of the process.
type suspectFile struct {
	c         *checker
	dir       string          // the folder of the file; an empty string means none
	made      []string        // folders that were made for it, innermost first
	undecided *search.Suspect // the first that was neither confirmed nor refuted; nil means none
	of        *search.Suspect // the one under examination; nil means none
	outline   *pathfile.File  // of it
	ends      []string        // of its nodes, see [report.Suspect]
	written   *search.Suspect // the suspect with the path in the file; nil means none
	err       error           // of writing
}

// put writes the suspect under examination, in place of an earlier one.
func (f *suspectFile) put(s *search.Suspect, status report.Status) {
	if !f.outlines(s) {
		f.note(s, status)
	}
	if f.err = f.write(s, status); f.err == nil {
		f.written = s
	}
	pending := &isolate.PendingSuspect{Suspect: *f.entry(s, status), Folder: f.dir}
	if pending.PathFile == "" {
		pending.Path = s.Path
	}
	isolate.NoteSuspect(pending)
}

// outlines reports whether the outline is that of a suspect's run.
func (f *suspectFile) outlines(s *search.Suspect) bool {
	return f.of != nil && slices.Equal(f.of.Path, s.Path)
}

// note reports a suspect to the supervisor before its file is written, which takes time because it executes the run.
func (f *suspectFile) note(s *search.Suspect, status report.Status) {
	isolate.NoteSuspect(&isolate.PendingSuspect{
		Suspect: report.Suspect{Status: status, Kind: s.Kind, Property: s.Property, Message: s.Message, Steps: s.Steps},
		Folder:  f.dir, Path: s.Path,
	})
}

// suspected keeps a suspect that the search has found.
func (c *checker) suspected(s *search.Suspect) {
	if c.endedProcess(s) { // only a fresh process can describe it
		c.suspectFile.note(s, report.Suspected)
		return
	}
	c.suspectFile.put(s, report.Suspected)
}

// putExecuted puts a suspect with a run that another process has executed; nil means that the run is not known.
func (f *suspectFile) putExecuted(s *search.Suspect, run *pathfile.File) {
	if run == nil {
		return
	}
	s.Steps = len(run.Steps)
	f.of, f.outline = s, run
	f.put(s, report.Suspected)
}

// notExecutedAgain returns the report and files of a finding whose run is not executed again: as it was described before, or with the steps
// that are known. It returns false if none are.
func notExecutedAgain(c *checker, r *report.Report, found *search.Suspect) (*report.Report, files, bool) {
	const why = "there was no time to execute the run again"
	if d := &c.asFound; d.report != nil {
		d.report.NotShrunk = why
		return d.report, d.files, true
	}
	s := c.suspectFile
	if s == nil || s.outline == nil || !s.outlines(found) {
		return nil, files{}, false
	}
	r.SetFinding(&found.Finding, found.Steps)
	r.Schedule, r.NotShrunk = found.Schedule, why
	f := *s.outline
	f.Header = replay.HeaderOf(&c.sys, c.headerFor(r))
	return r, files{error: &f}, true
}

// entry returns the entry of a suspect in a report.
func (f *suspectFile) entry(s *search.Suspect, status report.Status) *report.Suspect {
	steps := s.Steps
	if steps == 0 && f.outlines(s) {
		steps = len(f.outline.Steps)
	}
	e := &report.Suspect{Status: status, Kind: s.Kind, Property: s.Property, Message: s.Message, Steps: steps, PathFile: f.name()}
	if f.outlines(s) {
		e.Ends = f.ends
	}
	if e.PathFile != "" && f.c.Commands != nil {
		next := f.c.Commands(e.PathFile)
		if e.Decide = next.Replay; s.Kind == sim.Liveness || s.Kind == sim.Deadlock {
			e.Decide = next.Decide
		}
	}
	return e
}

// release ends the examination of a suspect. decided means that it is reported or refuted.
func (f *suspectFile) release(s *search.Suspect, decided bool) {
	if !decided && f.undecided == nil {
		f.undecided = s
	}
	if f.undecided != nil {
		if !f.outlines(f.undecided) {
			f.put(f.undecided, report.Suspected)
		}
		return
	}
	f.remove()
}

// remove removes the file, and the folders made for it if they are empty.
func (f *suspectFile) remove() {
	if f.dir != "" {
		os.Remove(filepath.Join(f.dir, SuspectPath))
		for _, dir := range f.made {
			os.Remove(dir)
		}
	}
	f.dir, f.made, f.of, f.written = "", nil, nil, nil
	isolate.NoteSuspect(nil)
}

// folder returns the destination of the finding's files. An empty string means a new folder, because the finding has
// another name than the suspect.
func (f *suspectFile) folder(slug string) string {
	if f == nil || f.c.Dir == "" && !strings.HasPrefix(filepath.Base(f.dir), slug+"-") {
		return ""
	}
	return f.dir
}

// name returns the name of the file; an empty string means that the suspect has none. If the file could not
// be rewritten, its status is the previous one.
func (f *suspectFile) name() string {
	if f == nil || f.dir == "" || f.err != nil && (f.written == nil || f.of == nil || !slices.Equal(f.written.Path, f.of.Path)) {
		return ""
	}
	return filepath.Join(f.dir, SuspectPath)
}

// supersede removes the file after the files of the finding were written to dir.
func (f *suspectFile) supersede(r *report.Report, dir string) {
	if f == nil {
		return
	}
	if f.dir != "" {
		os.Remove(filepath.Join(f.dir, SuspectPath))
		if f.dir != dir {
			os.Remove(f.dir)
		}
	}
	f.dir, f.made, f.of, f.written, f.undecided = "", nil, nil, nil, nil
	isolate.NoteSuspect(&isolate.PendingSuspect{Suspect: report.Suspect{
		Status: report.Confirmed, Kind: r.Kind, Property: r.Property, Message: r.Message, Steps: r.Steps, PathFile: r.PathFile,
	}})
}

// write writes the file.
func (f *suspectFile) write(s *search.Suspect, status report.Status) error {
	defer f.c.returnHome() // also for the processes that execute the run
	sys := &f.c.sys
	var err error
	if !f.outlines(s) {
		f.of = nil
		if f.outline, f.ends, err = outline(sys, s, f.c.patient()); err != nil {
			return err
		}
	}
	f.of = s
	file := f.outline
	head := f.c.header()
	head.Seed, head.Schedule, head.Finding, head.Property = f.c.Search.Seed, s.Schedule, string(s.Kind), s.Property
	head.Note = string(status) + ": " + string(s.Kind) + ": " + s.Message
	file.Header = replay.HeaderOf(sys, head)
	text, err := content(file)
	if err != nil {
		return err
	}
	f.c.returnHome() // the outline has executed the run
	if f.dir == "" {
		return f.begin(outfolder.Slug(sys.Name, cmp.Or(s.Property, string(s.Kind))), text)
	}
	return outfile.Replace(filepath.Join(f.dir, SuspectPath), text, 0o644)
}

// begin writes the first file.
func (f *suspectFile) begin(slug string, text []byte) error {
	where := f.c.folder()
	if where.Replace { // the files of an earlier check stay until this one has a finding
		f.dir = f.c.Dir
		var err error
		if f.made, err = outfolder.MkdirAll(f.dir); err != nil {
			return err
		}
		return outfile.Replace(filepath.Join(f.dir, SuspectPath), text, 0o644)
	}
	in := where.Root
	if where.Dir != "" {
		in = where.Dir
		if !where.Several {
			in = filepath.Dir(where.Dir)
		}
	}
	made, err := outfolder.MkdirAll(in)
	if err != nil {
		return err
	}
	f.made = made
	dir, err := where.Write(slug, func(temp, _ string) error { return outfile.Replace(filepath.Join(temp, SuspectPath), text, 0o644) })
	if err == nil {
		f.dir, f.made = dir, append([]string{dir}, made...)
	}
	return err
}

// outline returns a path file without comments, from one execution without a trace, and the ends of nodes, see
// [report.Suspect]. A step that did not return has only its event.
func outline(sys *sim.System, s *search.Suspect, opts kernel.Options) (*pathfile.File, []string, error) {
	w, err := kernel.NewWorld(sys, opts)
	if err != nil {
		return nil, nil, err
	}
	f := new(pathfile.File)
	run, src := replay.NewRun(w), &choose.Prefix{Path: s.Path}
	var picks []pathfile.Pick
	noting := choose.SourceFunc(func(p choose.Point) int {
		pick := src.Choose(p)
		if !p.Kind.Implied(pick) {
			picks = append(picks, pathfile.Pick{Kind: p.Kind, Pick: pick, Label: p.Label})
		}
		return pick
	})
	if s.Overdue && s.Steps == 0 {
		return f, nil, nil
	}
	err = run.Start(noting)
	f.Boot, picks = picks, nil
	for err == nil && src.Err() == nil {
		index, ok := src.Take()
		if !ok {
			break
		}
		ev, ok := run.Event(index)
		if !ok {
			break
		}
		f.Steps = append(f.Steps, pathfile.Step{Index: index, Key: w.Key(ev)})
		if s.Overdue && len(f.Steps) == s.Steps {
			break
		}
		err = run.Step(index, noting)
		f.Steps[len(f.Steps)-1].Picks, picks = picks, nil
	}
	if s.Overdue {
		return f, nil, nil
	}
	return f, endsOf(w), nil
}

// endsOf describes the nodes of a system with programs, see [report.Suspect].
func endsOf(w kernel.World) (ends []string) {
	programs := false
	for id := range sim.NodeID(w.System().Nodes) {
		text := fmt.Sprintf("n%d is down", id)
		if program, ok := w.Service(id).(simext.Hosted); ok {
			_, lines := program.Running()
			programs, text = true, fmt.Sprintf("n%d", id)
			for _, f := range w.NodeFields(id) {
				if f.Part.Kind == replay.Program && f.Part.Name == simext.GoroutinesField {
					text += " " + f.Value
				}
			}
			for _, line := range lines {
				if !strings.Contains(text, line) { // those of a program that has ended are part of its value
					text += simext.BetweenGoroutines + line
				}
			}
		}
		ends = append(ends, text)
	}
	if !programs {
		return nil
	}
	return ends
}

// suspectFileOf returns the file of the suspect that was under examination in a process that died.
func suspectFileOf(out *isolate.Outcome, c *checker) *suspectFile {
	f := &suspectFile{c: c}
	if out.Suspect != nil {
		f.dir = out.Suspect.Folder
	}
	return f
}

// suspect adds the suspect under examination to the report of a search without a finding.
func (c *checker) suspect(r *report.Report, res *search.Result) error {
	s := res.Suspect
	if s == nil {
		c.suspectFile.remove() // an earlier process may have had a suspect that this one did not find
		return nil
	}
	if c.suspectFile.err != nil || !c.suspectFile.outlines(s) {
		c.suspectFile.put(s, report.Suspected)
	}
	r.Suspect = c.suspectFile.entry(s, report.Suspected)
	if c.suspectFile.err == nil && c.Dir == "" {
		return outfolder.Ignore(outfolder.Root)
	}
	return c.suspectFile.err
}
