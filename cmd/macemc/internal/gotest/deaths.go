package gotest

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/macemc/macemc/internal/explorer"
	"github.com/macemc/macemc/internal/testsched/program"
)

// death is the test that a process explored when it died.
type death struct{ pkg, test, flags string }

// deaths returns the tests that processes explored when they died, from the summaries in a folder.
func deaths(folder string) (list []death) {
	files, _ := os.ReadDir(folder)
	for _, f := range files {
		d := death{pkg: explorer.SummaryPackage(f.Name())}
		text, err := os.ReadFile(filepath.Join(folder, f.Name()))
		if d.pkg == "" || err != nil {
			continue
		}
		for line := range strings.Lines(string(text)) {
			var name, flags string
			if t, ok := parseTest(line); ok && t.note == explorer.EndedEarly {
				d.test = t.name
			} else if _, err := fmt.Sscanf(line, "flags %q %q", &name, &flags); err == nil && d.test == name {
				d.test, d.flags = function(name), flags
				list = append(list, d)
			}
		}
	}
	return list
}

// examineDeaths explores tests again, with each schedule in a process of its own, if a process has died during their exploration. What it
// writes replaces their notes.
func examineDeaths(ctx context.Context, a Runner, x *exploration, s *summaries, stdout, stderr io.Writer) {
	for _, d := range deaths(x.summaries) {
		if x.schedule != "" || ctx.Err() != nil || program.CheckPackage(d.pkg) != nil {
			continue
		}
		s.notes = slices.DeleteFunc(s.notes, func(n testNote) bool { return n.pkg == d.pkg && n.text == explorer.EndedEarly })
		flags, last := program.SplitFlags(d.flags)
		args := append([]string{"-C", x.folder, "-count=1", "-vet=off", "-run", program.Pattern(d.test)}, flags...)
		for flag, on := range map[string]bool{"-race": x.race, "-json": x.json, "-v": x.verbose} {
			if on {
				args = append(args, flag)
			}
		}
		args = append(args, fmt.Sprintf("-explore-seed=%d", x.seed))
		if x.delay > 0 {
			args = append(args, fmt.Sprintf("-explore-delay=%v", x.delay))
		}
		if x.schedules > 0 {
			args = append(args, fmt.Sprintf("-schedules=%d", x.schedules))
		}
		fmt.Fprintf(stderr, "macemc: a process died while it explored %s of %s; each schedule is executed in a process of its own\n", d.test, d.pkg)
		_ = a.goTest(ctx, append(append(args, d.pkg), last...), stdout, stderr, explorer.VariableDied+"=1")
	}
}
