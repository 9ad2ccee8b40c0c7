package check

import (
	"cmp"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/macemc/macemc/choose"
	"github.com/macemc/macemc/internal/check/isolate"
	"github.com/macemc/macemc/internal/kernel"
	"github.com/macemc/macemc/internal/replay"
	"github.com/macemc/macemc/internal/report"
	"github.com/macemc/macemc/search"
	"github.com/macemc/macemc/sim"
)

// SuspectPath is the path file of a suspect under examination. The files of the finding replace it.
const SuspectPath = "suspect.path"

// hand keeps the suspect under examination on disk, from its discovery until it is reported or refuted. The file
// survives any end of the process.
type hand struct {
	o         *Options
	dir       string          // the folder of the file; an empty string means that there is none
	made      []string        // folders that were made for it, innermost first
	undecided *search.Suspect // the first that was neither confirmed nor refuted; nil means none
	of        *search.Suspect // the one in hand; nil means none
	outline   *choose.File    // of it
	written   *search.Suspect // the suspect with the path in the file; nil means none
	err       error           // of writing
}

// take replaces the suspect in hand.
func (h *hand) take(s *search.Suspect, status report.Status) {
	if h.err = h.write(s, status); h.err == nil {
		h.written = s
	}
	isolate.NoteInHand(&isolate.InHand{Suspect: *h.about(s, status), Folder: h.dir})
}

// about returns the entry of a suspect in a report.
func (h *hand) about(s *search.Suspect, status report.Status) *report.Suspect {
	return &report.Suspect{Status: status, Kind: s.Kind, Property: s.Property, Message: s.Message, Steps: s.Steps, PathFile: h.file()}
}

// settle ends the examination of a suspect. decided means that it is reported or refuted.
func (h *hand) settle(s *search.Suspect, decided bool) {
	if !decided && h.undecided == nil {
		h.undecided = s
	}
	if h.undecided != nil {
		if h.of != h.undecided {
			h.take(h.undecided, report.Suspected)
		}
		return
	}
	h.drop()
}

// drop removes the file, and the folders made for it if they are empty.
func (h *hand) drop() {
	if h.dir != "" {
		os.Remove(filepath.Join(h.dir, SuspectPath))
		for _, dir := range h.made {
			os.Remove(dir)
		}
	}
	h.dir, h.made, h.of, h.written = "", nil, nil, nil
	isolate.NoteInHand(nil)
}

// folder returns the destination of the finding's files. An empty string means a new folder, because the finding has
// another name than the suspect.
func (h *hand) folder(slug string) string {
	if h == nil || h.o.Dir == "" && !strings.HasPrefix(filepath.Base(h.dir), slug+"-") {
		return ""
	}
	return h.dir
}

// file returns the name of the file; an empty string means that the suspect in hand has none. If the file could not
// be rewritten, its status is the previous one.
func (h *hand) file() string {
	if h == nil || h.dir == "" || h.err != nil && (h.written == nil || h.of == nil || !slices.Equal(h.written.Path, h.of.Path)) {
		return ""
	}
	return filepath.Join(h.dir, SuspectPath)
}

// replace removes the file after the files of the finding were written to dir.
func (h *hand) replace(r *report.Report, dir string) {
	if h == nil {
		return
	}
	if h.dir != "" {
		os.Remove(filepath.Join(h.dir, SuspectPath))
		if h.dir != dir {
			os.Remove(h.dir)
		}
	}
	h.dir, h.made, h.of, h.written, h.undecided = "", nil, nil, nil, nil
	isolate.NoteInHand(&isolate.InHand{Suspect: report.Suspect{
		Status: report.Confirmed, Kind: r.Kind, Property: r.Property, Message: r.Message, Steps: r.Steps, PathFile: r.PathFile,
	}})
}

// write writes the file.
func (h *hand) write(s *search.Suspect, status report.Status) error {
	sys, err := h.o.System()
	if err != nil {
		return err
	}
	if h.of == nil || !slices.Equal(h.of.Path, s.Path) {
		h.of = nil
		if h.outline, err = outline(&sys, s, h.o.patient()); err != nil {
			return err
		}
	}
	h.of = s
	f := h.outline
	head := h.o.header()
	head.Seed, head.Schedule, head.Finding, head.Property = h.o.Search.Seed, string(s.Schedule), string(s.Kind), s.Property
	head.Note = string(status) + ": " + string(s.Kind) + ": " + s.Message
	f.Header = replay.HeaderOf(&sys, head)
	text, err := content(f)
	if err != nil {
		return err
	}
	if h.dir == "" {
		return h.begin(slug(sys.Name, cmp.Or(s.Property, string(s.Kind))), text)
	}
	return writeFile(h.dir, text)
}

// begin writes the first file.
func (h *hand) begin(slug string, text []byte) error {
	where := h.o.folder()
	if where.replace { // the files of an earlier check stay until this one has a finding
		h.dir = h.o.Dir
		var err error
		if h.made, err = mkdirAll(h.dir); err != nil {
			return err
		}
		return writeFile(h.dir, text)
	}
	in := where.root
	if where.dir != "" {
		in = where.dir
		if !where.several {
			in = filepath.Dir(where.dir)
		}
	}
	made, err := mkdirAll(in)
	if err != nil {
		return err
	}
	h.made = made
	dir, err := where.write(slug, func(temp, _ string) error { return writeFile(temp, text) })
	if err == nil {
		h.dir, h.made = dir, append([]string{dir}, made...)
	}
	return err
}

// writeFile writes the file completely or not at all.
func writeFile(dir string, text []byte) error {
	temp := filepath.Join(dir, "."+SuspectPath)
	err := os.WriteFile(temp, text, 0o644)
	if err == nil {
		err = os.Rename(temp, filepath.Join(dir, SuspectPath))
	}
	if err != nil {
		os.Remove(temp)
	}
	return err
}

// outline returns a path file without comments, from one execution without a trace. A step that did not return has
// only its event.
func outline(sys *sim.System, s *search.Suspect, opts kernel.Options) (*choose.File, error) {
	w, err := kernel.NewWorld(sys, opts)
	if err != nil {
		return nil, err
	}
	f := new(choose.File)
	run, src := replay.NewRun(w), &choose.Prefix{Path: s.Path}
	var picks []choose.FilePick
	noting := choose.SourceFunc(func(p choose.Point) int {
		pick := src.Choose(p)
		if p.Kind.Class() != choose.Fault || pick != 0 {
			picks = append(picks, choose.FilePick{Kind: p.Kind, Pick: pick, Label: p.Label})
		}
		return pick
	})
	if s.Overdue && s.Steps == 0 {
		return f, nil
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
		f.Steps = append(f.Steps, choose.FileStep{Index: index, Key: w.Key(ev)})
		if s.Overdue && len(f.Steps) == s.Steps {
			break
		}
		err = run.Step(index, noting)
		f.Steps[len(f.Steps)-1].Picks, picks = picks, nil
	}
	return f, nil
}

// handOf returns the suspect in hand of a process that died.
func handOf(out *isolate.Outcome, o *Options) *hand {
	h := &hand{o: o}
	if out.Suspect != nil {
		h.dir = out.Suspect.Folder
	}
	return h
}

// suspect adds the suspect in hand to the report of a search without a finding.
func (o *Options) suspect(r *report.Report, res *search.Result) error {
	s := res.Suspect
	if s == nil {
		o.hand.drop() // an earlier process may have had a suspect that this one did not find
		return nil
	}
	if o.hand.of != s {
		o.hand.take(s, report.Suspected)
	}
	r.Suspect = o.hand.about(s, report.Suspected)
	if o.hand.err == nil && o.Dir == "" {
		return Ignore(Root)
	}
	return o.hand.err
}
