package document

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/macemc/macemc/internal/report"
	"github.com/macemc/macemc/internal/textfmt"
)

func assumptionLine(a report.Assumption) string {
	switch a.Verdict {
	case "":
		return fmt.Sprintf("ASSUMED, not compared with the implementation: %s: %s", a.Name, a.What)
	case "no difference":
		return fmt.Sprintf("assumed, and compared with the implementation: %s: it has every behavior that these clients can observe, in %s of the implementation and %s of the abstraction",
			a.Name, textfmt.Plural(a.States, "state"), textfmt.Number(a.Abstract))
	case "difference":
		return fmt.Sprintf("ASSUMED, and WRONG: %s: %s: %s", a.Name, a.What, cmp.Or(strings.Join(a.Trace, ", "), "no observation before"))
	}
	return fmt.Sprintf("ASSUMED, comparison with the implementation undecided: %s: %s", a.Name, a.What)
}
