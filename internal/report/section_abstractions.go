package report

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/macemc/macemc/internal/textfmt"
)

// Assumption is an abstraction that a system has in the place of what ships, and what comparing both came to.
type Assumption struct {
	Name string `json:"name"`
	// Verdict is that of package refine; "": they were not compared.
	Verdict string `json:"verdict,omitempty"`
	// What says what the difference is, why nothing was decided, or why they were not compared.
	What  string   `json:"what,omitempty"`
	Trace []string `json:"trace,omitempty"` // what clients see until then
	// States and Abstract are how many of both were compared.
	States   int `json:"states,omitempty"`
	Abstract int `json:"abstract,omitempty"`
}

// Wrong reports whether what ships was seen to do what the abstraction does not.
func (a *Assumption) Wrong() bool { return a.Verdict == "difference" }

func (a *Assumption) line() string {
	switch a.Verdict {
	case "":
		return fmt.Sprintf("ASSUMED, not compared with the implementation: %s: %s", a.Name, a.What)
	case "no difference":
		return fmt.Sprintf("assumed, and compared with the implementation: %s: it covers every behavior of these clients, in %s of the implementation and %s of its own",
			a.Name, textfmt.Plural(a.States, "state"), textfmt.Number(a.Abstract))
	case "difference":
		return fmt.Sprintf("ASSUMED, and WRONG: %s: %s: %s", a.Name, a.What, cmp.Or(strings.Join(a.Trace, ", "), "no observation before"))
	}
	return fmt.Sprintf("ASSUMED, comparison with the implementation undecided: %s: %s", a.Name, a.What)
}
