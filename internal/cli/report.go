package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/macemc/macemc/check"
	"github.com/macemc/macemc/report"
	"github.com/macemc/macemc/search"
)

// reportFlags are the flags of report, as they were given.
type reportFlags struct {
	format   string
	live     string
	critical check.CriticalOptions
	out      output
}

// reportFormats are the formats of report, by the ending of a file's name.
func reportFormats() [][2]string {
	return [][2]string{{".html", "html"}, {".md", "markdown"}, {".json", "json"}, {".txt", "text"}}
}

func (a *app) reportCommand() *cobra.Command {
	var f reportFlags
	cmd := &cobra.Command{
		Use:   "report FILE",
		Short: "Explain the violation that a run shows, in one page",
		Long: `Writes what there is to know of the violation that the run in FILE shows: what never
happens again, the critical step and its handler, the first difference from a run that
recovers, what goes on for ever, and both runs to step through with the states of all
nodes. The page needs no network and no other file; the paths can be saved from it.

A search writes the same report beside its paths. Here the critical transition and the
nearest live run are looked for anew, unless --live names a live run.

Exit status: 0 when the report was written, 2 or 4 (disk full) when it could not be, 3
when the walks do not tell whether the run is dead.`,
		Example: `  macemc report error.path -o bug.html
  macemc report error.path -o bug.md
  macemc report error.path --live live.path -o bug.html
  macemc report error.path --format text`,
		Args: exactlyOne("FILE"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := f.validate(cmd.Flags().Changed); err != nil {
				return err
			}
			return a.report(cmd.Context(), args[0], &f)
		},
	}
	fl := cmd.Flags()
	fl.SortFlags = false
	fl.StringVarP(&f.out.file, "out", "o", "", "write to the file `OUT` (default: standard output)")
	fl.BoolVar(&f.out.force, "force", false, "overwrite OUT")
	fl.StringVar(&f.format, "format", "", "`NAME`, one of html, markdown, json, text (default: by the name of OUT, or html)")
	fl.StringVar(&f.live, "live", "", "compare with the live run in `FILE`")
	fl.IntVar(&f.critical.Walks, "walks", 0, "walks `K` per probe (default 200)")
	fl.IntVar(&f.critical.WalkSteps, "walk-steps", 0, "length `N` of a walk, in steps (default 2000)")
	fl.IntVar(&f.critical.Workers, "workers", 0, "how many walks `N` go on at a time (default: all cores)")
	return cmd
}

func (f *reportFlags) validate(changed func(string) bool) error {
	if err := walkNumbers(&f.critical).check(changed); err != nil {
		return err
	}
	var names []string
	for _, known := range reportFormats() {
		names = append(names, known[1])
		if f.format == "" && filepath.Ext(f.out.file) == known[0] {
			f.format = known[1]
		}
	}
	if f.format == "" {
		f.format = names[0]
	}
	if !slices.Contains(names, f.format) {
		return fmt.Errorf("--format %q is not available; accepted are %s", f.format, strings.Join(names, ", "))
	}
	return f.out.check()
}

func (a *app) report(ctx context.Context, file string, f *reportFlags) error {
	l, done, err := a.load(ctx, file)
	if done || err != nil {
		return err
	}
	r, err := check.Describe(ctx, l, file, f.critical)
	switch {
	case errors.Is(err, check.ErrNoViolation):
		return fmt.Errorf("%s: %w; %s graph %s draws it", file, err, a.program, shellWord(file))
	case err != nil:
		return err
	case r.Verdict == search.Inconclusive:
		a.fail(fmt.Errorf("%s: the walks do not tell whether the run is dead; longer ones (--walk-steps) may", file))
		return statusError(check.StatusInconclusive)
	}
	if f.live != "" {
		live, err := check.LoadFor(ctx, f.live, &l.System, nil)
		if err != nil {
			return err
		}
		if err := check.Beside(r, live); err != nil {
			return fmt.Errorf("%s: %w", f.live, err)
		}
	}
	r.PathFile = file
	r.Commands = report.Commands{
		Look:  fmt.Sprintf("%s replay %s", a.program, shellWord(file)),
		Rerun: fmt.Sprintf("%s critical %s", a.program, shellWord(file)),
	}
	if r.Critical == nil {
		r.Commands = report.Commands{Rerun: r.Commands.Look}
	}
	render := map[string]func(io.Writer, *report.Report) error{
		"html": report.HTML, "markdown": report.Markdown, "json": report.JSON,
		"text": func(w io.Writer, r *report.Report) error { return report.Terminal(w, r, a.style) },
	}[f.format]
	return a.write(f.out, func(w io.Writer) error { return render(w, r) })
}
