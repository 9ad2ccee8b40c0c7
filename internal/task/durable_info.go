package task

import (
	"fmt"
	"strings"
	"text/tabwriter"

	"github.com/macemc/macemc/internal/durable"
	"github.com/macemc/macemc/internal/report"
	"github.com/macemc/macemc/internal/textfmt"
)

// DurableInfo describes the content of a folder.
func (p *Process) DurableInfo(dir string, asJSON bool) error {
	s, err := durable.Look(dir)
	if err != nil {
		return err
	}
	if s.Manifest.Walks != nil {
		return p.runsInfo(dir, s, asJSON)
	}
	defer s.Log.Close()
	end, stats, m := s.Log.End(), s.Log.Stats(), s.Manifest
	waiting := end.States - end.Expanded
	if asJSON {
		return WriteJSON(p.Stdout, map[string]any{
			"manifest": m, "states": end.States, "waiting": waiting, "transitions": end.Transitions, "depth": end.Depth, "bytes": stats.Bytes,
			"torn": stats.Torn, "blocks": stats.Blocks, "pioneers": stats.CacheFillers, "finished": end.States > 0 && waiting == 0,
			"in_use": s.InUse,
		})
	}
	w, line := p.describe(m)
	left := "all expanded"
	if waiting > 0 {
		left = fmt.Sprintf("%s not yet expanded", textfmt.Number(waiting))
	}
	line("states", "%s; %s", textfmt.Number(end.States), left)
	line("transitions", "%s", textfmt.Number(end.Transitions))
	line("depth", "%d", end.Depth)
	line("log", "%s bytes, %.2f per state; %d blocks; --resume re-executes the steps of %s states", textfmt.Number(int(stats.Bytes)),
		float64(stats.Bytes)/float64(max(1, end.States)), stats.Blocks, textfmt.Number(stats.CacheFillers))
	if stats.Torn > 0 {
		line("torn", "%d incomplete bytes at the end, which --resume truncates", stats.Torn)
	}
	switch {
	case s.InUse:
		line("now", "a search is running")
	case end.States > 0 && waiting == 0:
		line("now", "finished")
	default:
		line("now", "unfinished; --resume continues it")
	}
	return w.Flush()
}

// describe begins the description of a folder, in named lines.
func (p *Process) describe(m *durable.Manifest) (w *tabwriter.Writer, line func(name, format string, args ...any)) {
	w = tabwriter.NewWriter(p.Stdout, 0, 0, 2, ' ', 0)
	line = func(name, format string, args ...any) { fmt.Fprintf(w, "%s\t%s\n", name, fmt.Sprintf(format, args...)) }
	for _, s := range m.Settings() {
		if s[1] != "" && s[1] != "0" {
			line(s[0], "%s", s[1])
		}
	}
	for _, b := range m.Builds {
		with := ""
		if len(b.Bugs) > 0 {
			with = ", with bug " + strings.Join(b.Bugs, ", ")
		}
		line("program", "%s, from %s%s", b.Program, b.Began.Format("2006-01-02 15:04:05"), with)
	}
	return w, line
}

// runsInfo describes the content of a folder of random walks.
func (p *Process) runsInfo(dir string, s *durable.State, asJSON bool) error {
	all, err := runsIn(dir)
	if err != nil {
		return err
	}
	w := walking{all: all}
	if asJSON {
		return WriteJSON(p.Stdout, map[string]any{"manifest": s.Manifest, "runs": w.paths(), "stretches": len(all), "finished": w.over(),
			"in_use": s.InUse})
	}
	out, line := p.describe(s.Manifest)
	line("runs", "%s, in %s", textfmt.Number(w.paths()), textfmt.Plural(len(all), "part"))
	switch {
	case s.InUse:
		line("now", "a search is running")
	case w.found():
		line("now", "finished with a finding, which --resume reports again")
	case w.over():
		line("now", "finished: iterative deepening completed")
	default:
		line("now", "unfinished; --resume continues it")
	}
	return out.Flush()
}

// runsIn reads the reports in a folder of random walks.
func runsIn(dir string) ([]*report.Report, error) {
	texts, err := durable.RunsIn(dir)
	if err != nil {
		return nil, err
	}
	return reportsOf(dir, texts)
}

// DurableVerify reads the whole content of a folder.
func (p *Process) DurableVerify(dir string) error {
	s, err := durable.Look(dir)
	if err != nil {
		return err
	}
	if s.Manifest.Walks != nil {
		all, err := runsIn(dir)
		if err != nil {
			return err
		}
		fmt.Fprintf(p.Stdout, "%s: %s runs in %s, all intact\n", dir, textfmt.Number((&walking{all: all}).paths()),
			textfmt.Plural(len(all), "part"))
		return nil
	}
	defer s.Log.Close()
	states := 0
	for b, err := range s.Log.Blocks() {
		if err != nil {
			return err
		}
		states += len(b.Origins)
	}
	stats := s.Log.Stats()
	fmt.Fprintf(p.Stdout, "%s: %s states in %d blocks, %s bytes, all intact\n", dir, textfmt.Number(states), stats.Blocks,
		textfmt.Number(int(stats.Bytes)))
	if stats.Torn > 0 {
		fmt.Fprintf(p.Stdout, "%s: %d more bytes at the end are an incomplete block; --resume truncates them\n", dir, stats.Torn)
	}
	return nil
}
