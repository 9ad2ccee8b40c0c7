package schedulefile

import (
	"bufio"
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/macemc/macemc/internal/testflags"
	"github.com/macemc/macemc/internal/testsched"
	"github.com/macemc/macemc/internal/testsched/program"
)

// magic is the first line of a schedule file.
const magic = "macemc schedule 1"

var errOther = fmt.Errorf("a schedule begins with %q", magic)

// Comment is the second line of a schedule file, unless the user has added a line above it. It is optional.
const Comment = `# written by "macemc test"; edit nothing but a line "known REASON", which accepts the finding`

// storedLines are the lines of a schedule file between the comment and the last line, in their order. A new one needs its grammar in
// internal/testflags/names.go. A value that reaches a command is checked in cmd/macemc/internal/gotest/schedule.go, too.
var storedLines = []row{
	text("package", "IMPORT-PATH", func(f *Stored) *string { return &f.Package }, testflags.CheckPackage),
	text("test", "NAME", func(f *Stored) *string { return &f.Test }, testflags.CheckTest),
	text("finding", "TEXT", func(f *Stored) *string { return &f.Finding }, nil),
	number("seed", func(f *Stored) *uint64 { return &f.Schedule.Seed }),
	flag("memory", func(f *Stored) *bool { return &f.Schedule.Memory }),
	flag("warm", func(f *Stored) *bool { return &f.Schedule.Warm }),
	field("instant", "TIME", func(f *Stored) *uint64 { return &f.Schedule.Instant }, testflags.FormatInstant, testflags.ParseInstant).optional(),
	flag("external", func(f *Stored) *bool { return &f.External }).optional(),
	flag("begins", func(f *Stored) *bool { return &f.Begins }).optional(),
	flag("race", func(f *Stored) *bool { return &f.Race }).optional(),
	text("flags", "FLAGS", func(f *Stored) *string { return &f.Flags }, testflags.CheckText).optional(), // see CheckFlags
	texts("shows", "TEXT", func(f *Stored) *[]string { return &f.Shows }),
	field("known", "REASON", func(f *Stored) *string { return &f.Known }, strings.TrimSpace, parseKnown).optional(),
	{name: "critical", grammar: "GOROUTINE at PLACE order HASH", write: writeCritical, read: readCritical},
	flag("unfair", func(f *Stored) *bool { return &f.Schedule.Unfair }).optional(),
	number("limit", func(f *Stored) *uint64 { return &f.Schedule.Limit }).optional(),
	field("delay", "DURATION", func(f *Stored) *time.Duration { return &f.Schedule.Delay }, time.Duration.String,
		parseDelay).optional(),
	texts("ends", "PLACE", func(f *Stored) *[]string { return &f.Schedule.Ends }),
	texts("remains", "PLACE", func(f *Stored) *[]string { return &f.Schedule.Remain }),
	{name: "switch", grammar: "GOROUTINE at|after PLACE to GOROUTINE", read: readSwitch, repeats: true},
	{name: "pause", grammar: "GOROUTINE at PLACE", read: readPause, repeats: true},
}

func parseKnown(text string) (string, error) {
	if text = strings.TrimSpace(text); text == "" {
		return "", errors.New("the reason is missing")
	}
	return program.Printable(text), nil
}

func parseDelay(text string) (time.Duration, error) {
	d, err := time.ParseDuration(text)
	if err == nil && (d < 0 || d > testsched.MaxDelay) {
		err = fmt.Errorf("must be between 0 and %v", testsched.MaxDelay)
	}
	return d, err
}

func writeCritical(f *Stored) []string {
	if f.CriticalWho == 0 {
		return nil
	}
	return []string{fmt.Sprintf("%x at %d order %x", f.CriticalWho, f.CriticalPlace, f.Hash)}
}

func readCritical(f *Stored, text string) (err error) {
	step, order, _ := strings.Cut(text, " order ") // files of earlier versions have " passing 3 of 6" or no order
	if _, err = fmt.Sscanf(step, "%x at %d", &f.CriticalWho, &f.CriticalPlace); err == nil && order != "" {
		f.Hash, err = strconv.ParseUint(order, 16, 64)
	}
	return err
}

func readSwitch(f *Stored, text string) error {
	var s testsched.Switch
	var how string
	_, err := fmt.Sscanf(text, "%x %s %d to %x", &s.Who, &how, &s.Place, &s.To)
	if how == "after" {
		s.Place |= testsched.BlockedBit
	} else if err == nil && how != "at" {
		err = fmt.Errorf("%q in place of at or after", how)
	}
	f.Schedule.Switches = append(f.Schedule.Switches, s)
	return err
}

func readPause(f *Stored, text string) error {
	s := testsched.Switch{To: testsched.Pauses}
	_, err := fmt.Sscanf(text, "%x at %d", &s.Who, &s.Place)
	f.Schedule.Switches = append(f.Schedule.Switches, s)
	return err
}

// WriteTo implements io.WriterTo.
func (f *Stored) WriteTo(w io.Writer) (int64, error) {
	stored := *f
	stored.Schedule.Instant = cmp.Or(f.Schedule.Instant, commandInstant())
	text := appendRows([]byte(magic+"\n"+Comment+"\n"), &stored)
	for _, s := range f.Schedule.Switches {
		switch {
		case s.Pauses():
			text = fmt.Appendf(text, "pause %x at %d\n", s.Who, s.Place)
		case s.Place&testsched.BlockedBit != 0:
			text = fmt.Appendf(text, "switch %x after %d to %x\n", s.Who, s.Place&^testsched.BlockedBit, s.To)
		default:
			text = fmt.Appendf(text, "switch %x at %d to %x\n", s.Who, s.Place, s.To)
		}
	}
	n, err := w.Write(fmt.Appendf(text, "end %d\n", len(f.Schedule.Switches)))
	return int64(n), err
}

// Critical returns the number of the critical step among the events of a run under the schedule; 0 means unknown.
func (f *Stored) Critical(trace []testsched.Event) int {
	return 1 + slices.IndexFunc(trace, func(e testsched.Event) bool { return e.Who == f.CriticalWho && e.Place == f.CriticalPlace })
}

// FewSwitches is the number of differences from the default order up to which a report names all of them.
const FewSwitches = 3

// Named returns the steps of a run under the schedule, ascending, at which it differs from the default order and that a report names: all if
// they are few, or else the last one, without which the run probably passes.
func (f *Stored) Named(trace []testsched.Event) (steps []int) {
	list := f.Schedule.Switches
	if len(list) > FewSwitches {
		list = list[len(list)-1:]
	}
	for i := range list {
		if at := list[i].StepIn(trace); at >= 0 {
			steps = append(steps, at+1)
		}
	}
	slices.Sort(steps)
	return slices.Compact(steps)
}

// Read parses a file written by WriteTo. Nothing in the file is trusted: it may be attached to the report of a bug.
func Read(r io.Reader) (*Stored, error) {
	f, seen, ended := new(Stored), map[string]bool{}, false
	lines, number := bufio.NewScanner(r), 0
	for lines.Scan() {
		number++
		line, err := lines.Text(), error(nil)
		count, last := strings.CutPrefix(line, "end ")
		switch {
		case number == 1 && line != magic:
			err = errOther
		case ended:
			err = errors.New("text after the end")
		case number == 1 || line == Comment:
		case !last:
			err = readRow(line, f, seen)
		case count != strconv.Itoa(len(f.Schedule.Switches)):
			err = fmt.Errorf("%d switches, and the end counts %q", len(f.Schedule.Switches), count)
		default:
			ended = true
		}
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", number, err)
		}
	}
	switch {
	case lines.Err() != nil:
		return nil, lines.Err()
	case !ended:
		return nil, errors.New("the end is missing")
	case !seen["package"] || !seen["test"]:
		return nil, errors.New("the package or the test is missing")
	}
	if err := testflags.CheckFlags(f.Test, f.Flags); err != nil {
		return nil, fmt.Errorf("flags: %w", err)
	}
	return f, nil
}

// commandInstant returns the instant at which runs of the command begin; 0 means unknown.
func commandInstant() uint64 {
	runs, _, _ := strings.Cut(os.Getenv(testsched.VariableInstant), ",")
	instant, _ := strconv.ParseUint(runs, 10, 64)
	return instant
}
