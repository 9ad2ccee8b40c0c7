package report

import (
	"fmt"
	"strings"

	"github.com/macemc/macemc/search"
)

// engine says by which engine steps were executed, and how well that went.
func (r *Report) engine() []string {
	e := &r.Engine
	if e.Used == "" {
		return nil
	}
	text := "engine: " + string(e.Used)
	switch {
	case e.Unsupported != "":
		text += "; the table engine cannot hold " + e.Unsupported
	case e.TableRate > 0:
		text += fmt.Sprintf(", as measured: table %s events per CPU second, replay %s",
			number(int(e.TableRate)), number(int(e.ReplayRate)))
	case e.Asked == search.AutoEngine:
		text += ", too few events to measure"
	}
	lines := []string{text}
	if e.TableEvents > 0 {
		lines[0] += fmt.Sprintf("; %.4g %% of the table's steps looked up", 100*e.HitRate)
		if r.Transitions == 0 { // else it was said
			lines[0] += ", " + plural(e.Handlers, "handler execution")
		}
	}
	if copies := copies(e); copies != "" {
		lines = append(lines, copies)
	}
	return lines
}

// copies says how services were made for the handlers that had to run.
func copies(e *search.EngineStats) string {
	var copied, again []string
	for _, c := range e.Copies {
		if c.Copied {
			copied = append(copied, c.Type)
		} else {
			again = append(again, fmt.Sprintf("%s by its history (%s)", c.Type, c.Why))
		}
	}
	if len(copied) > 0 {
		copied = []string{strings.Join(copied, ", ") + " by a copy"}
	}
	if all := append(copied, again...); len(all) > 0 {
		return "made for handlers to run on: " + strings.Join(all, "; ")
	}
	return ""
}
