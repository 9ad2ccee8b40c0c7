package document

import (
	"cmp"
	"fmt"
	"path/filepath"

	"github.com/macemc/macemc/internal/replay"
	"github.com/macemc/macemc/internal/report"
	"github.com/macemc/macemc/internal/textfmt"
)

// position is a source position related to a finding.
type position struct {
	File  string // as named by the compiler
	Line  int
	Short string // see [replay.Places.Short]
	Text  string // what happens there
}

// Positions returns the source positions of a finding. The first one is the frame that panicked, the handler of the
// critical step, or the handler of the step that led to the violation. The handler of the last step follows if it
// differs. A step that no code handled, such as the loss of a message, has the handler of the step before it. If no
// code is known, the position is the path file.
func Positions(r *report.Report) (all []position) {
	add := func(p position) {
		for _, q := range all {
			if q.File == p.File && q.Line == p.Line {
				return
			}
		}
		all = append(all, p)
	}
	if frames := framesOf(r.Stack); len(frames) > 0 {
		file, line := replay.SplitPlace(frames[0].Place)
		add(position{file, line, replay.NewPlaces().Short(frames[0].Place), frames[0].Function})
	}
	for _, s := range []struct {
		name string
		step *replay.TraceStep
	}{{"critical step", r.DecisiveStep()}, {"last step", r.LastStep()}} {
		if s.step == nil || s.name == "critical step" && r.Critical == nil {
			continue
		}
		text := fmt.Sprintf("%s %d: %s", s.name, s.step.Number, s.step.Sentence())
		for n := s.step.Number; n > 0; n-- {
			handled := &r.Dead.Steps[n-1]
			file, line := handled.Place()
			if line == 0 {
				continue
			}
			if n != s.step.Number {
				text += fmt.Sprintf(" (after step %d, handled here)", n)
			}
			add(position{file, line, handled.Source, text})
			break
		}
	}
	if len(all) == 0 && r.PathFile != "" {
		file, err := filepath.Abs(r.PathFile)
		if err != nil {
			file = r.PathFile
		}
		add(position{file, 1, filepath.ToSlash(r.PathFile) + ":1", "the run"})
	}
	return all
}

// Headline describes a finding, or else the result of the search, in one line without a position.
func Headline(r *report.Report) string {
	if len(r.Each()) != 1 {
		return textfmt.Printable(SystemName(r) + ": " + outcome(r))
	}
	text := SystemName(r) + ": " + kindNames[r.Kind]
	if of := cmp.Or(r.Property, r.Message); of != "" {
		text += ": " + of
	}
	if why := oneLine(r); why != "" && r.Property != "" {
		text += ": " + why
	}
	return textfmt.Printable(textfmt.FirstLine(text))
}
