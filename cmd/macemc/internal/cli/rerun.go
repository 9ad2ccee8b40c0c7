package cli

import (
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/macemc/macemc/internal/report/render"
	"github.com/macemc/macemc/internal/task"
)

// rerunArgs returns the arguments that repeat the search, with its seed.
func rerunArgs(cmd *cobra.Command, args []string) string {
	words := []string{cmd.Name()}
	for _, arg := range args {
		words = append(words, task.ShellWord(arg))
	}
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		_, collected := render.CollectedFormat(f.Name)
		if !f.Changed && f.Name != "seed" || f.Name == "json" || collected || f.Name == "out" || f.Name == "write-test" || f.Name == "verbose" {
			return
		}
		values := []string{f.Value.String()}
		if list, ok := f.Value.(pflag.SliceValue); ok {
			values = list.GetSlice()
		}
		for _, v := range values {
			if f.Value.Type() == "bool" && v == "true" {
				words = append(words, "--"+f.Name)
			} else if f.Value.Type() == "bool" {
				words = append(words, "--"+f.Name+"="+v)
			} else {
				words = append(words, "--"+f.Name, task.ShellWord(v))
			}
		}
	})
	return strings.Join(words, " ")
}
