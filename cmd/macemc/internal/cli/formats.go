package cli

import (
	"github.com/spf13/pflag"

	"github.com/macemc/macemc/internal/report/render"
	"github.com/macemc/macemc/internal/task"
)

// collectedFlags adds a flag for each format that collects the reports of all systems in one file.
func collectedFlags(fl *pflag.FlagSet, c *task.Collected) {
	for _, f := range render.CollectedFormats() {
		fl.Var(collected{c, f.Name}, f.Name, "also write "+f.Doc+" to `FILE`, or - for standard output")
	}
}

// collected is the flag of one format.
type collected struct {
	all  *task.Collected
	name string
}

func (c collected) Set(file string) error {
	if *c.all == nil {
		*c.all = task.Collected{}
	}
	(*c.all)[c.name] = file
	return nil
}

func (c collected) String() string {
	if c.all == nil { // pflag calls it on the zero value
		return ""
	}
	return (*c.all)[c.name]
}

func (c collected) Type() string { return "string" }

// formatHelp is the help of a flag that selects one of the formats listed in the text of the command.
const formatHelp = "format `NAME` (default: by extension of OUT)"
