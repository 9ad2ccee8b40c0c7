package cli

import (
	"strings"

	"github.com/spf13/cobra"

	"github.com/macemc/macemc/internal/task"
	"github.com/macemc/macemc/systems/spec"
)

// complete lets shells complete systems, and what belongs to them behind flags.
func (a *app) complete(root *cobra.Command) {
	for _, c := range root.Commands() {
		if strings.Contains(c.Use, "SYSTEM") {
			c.ValidArgsFunction = a.completeSystem
		}
		for flag, values := range map[string]func(spec.Entry) []string{
			"bug": bugNames, "property": propertyNames, "set": paramNames,
			"strategy": func(spec.Entry) []string { return task.StrategyNames() },
		} {
			if c.Flags().Lookup(flag) == nil {
				continue
			}
			directive := cobra.ShellCompDirectiveNoFileComp
			if flag == "set" {
				directive |= cobra.ShellCompDirectiveNoSpace
			}
			err := c.RegisterFlagCompletionFunc(flag, func(_ *cobra.Command, args []string, begun string) ([]string, cobra.ShellCompDirective) {
				var words []string
				for _, e := range a.Systems {
					if flag == "strategy" || len(args) > 0 && e.Name == args[0] {
						words = beginning(values(e), begun)
						break
					}
				}
				return words, directive
			})
			if err != nil { // the flag is there, and nothing else completes it
				panic(err)
			}
		}
	}
}

func (a *app) completeSystem(cmd *cobra.Command, args []string, begun string) ([]string, cobra.ShellCompDirective) {
	if len(args) > 0 && !strings.Contains(cmd.Use, "...") {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	if strings.ContainsAny(begun, "./") { // a package
		return nil, cobra.ShellCompDirectiveFilterDirs
	}
	var names []string
	for _, e := range a.Systems {
		names = append(names, e.Name+"\t"+e.Summary)
	}
	return beginning(names, begun), cobra.ShellCompDirectiveNoFileComp
}

func beginning(words []string, begun string) []string {
	var out []string
	for _, w := range words {
		if strings.HasPrefix(w, begun) {
			out = append(out, w)
		}
	}
	return out
}

func bugNames(e spec.Entry) []string {
	var names []string
	for _, b := range e.Bugs {
		names = append(names, b.ID+"\t"+b.Summary)
	}
	return names
}

func paramNames(e spec.Entry) []string {
	var names []string
	for _, p := range e.Params {
		names = append(names, p.Name+"=\t"+p.Help)
	}
	return names
}

func propertyNames(e spec.Entry) []string {
	info, err := task.InfoOf(e)
	if err != nil {
		return nil
	}
	var names []string
	for _, p := range info.Properties {
		names = append(names, p.Name+"\t"+p.Kind)
	}
	return names
}
