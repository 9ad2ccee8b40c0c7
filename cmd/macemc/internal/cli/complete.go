package cli

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/macemc/macemc/internal/search/strategy"
	"github.com/macemc/macemc/internal/task"
	"github.com/macemc/macemc/systems/spec"
)

// complete adds shell completion of systems, and of flag values that belong to them.
func (a *app) complete(root *cobra.Command) {
	// ofSystem returns words for the system in the preceding arguments.
	ofSystem := func(flag string) func([]string) []string {
		return func(args []string) []string {
			for _, e := range a.Systems {
				if len(args) > 0 && e.Name == args[0] {
					return wordsOf(e, flag)
				}
			}
			return nil
		}
	}
	values := map[string]func(args []string) []string{
		"bug": ofSystem("bug"), "property": ofSystem("property"), "set": ofSystem("set"),
		"strategy": func([]string) []string { return strategy.Names(0) },
		"test": func(args []string) []string {
			if len(args) == 0 || !isPackage(args[0]) {
				return nil
			}
			return testsIn(args[0], "")
		},
	}
	for _, c := range root.Commands() {
		if strings.Contains(c.Use, "SYSTEM") {
			c.ValidArgsFunction = a.completeSystem
		}
		for flag, words := range values {
			if c.Flags().Lookup(flag) == nil {
				continue
			}
			directive := cobra.ShellCompDirectiveNoFileComp
			if flag == "set" {
				directive |= cobra.ShellCompDirectiveNoSpace
			}
			err := c.RegisterFlagCompletionFunc(flag, func(_ *cobra.Command, args []string, begun string) ([]string, cobra.ShellCompDirective) {
				return beginning(words(args), begun), directive
			})
			if err != nil { // the flag exists and has no other completion
				panic(err)
			}
		}
	}
}

func (a *app) completeSystem(cmd *cobra.Command, args []string, begun string) ([]string, cobra.ShellCompDirective) {
	directive, folders := cobra.ShellCompDirectiveNoFileComp, cobra.ShellCompDirectiveFilterDirs
	if strings.Contains(cmd.Use, "FILE") { // or a file in place of the system
		directive, folders = cobra.ShellCompDirectiveDefault, cobra.ShellCompDirectiveDefault
	}
	if len(args) > 0 && !strings.Contains(cmd.Use, "...") {
		return nil, directive
	}
	if folder, _, named := strings.Cut(begun, ":"); named && isPackage(folder) {
		return beginning(testsIn(folder, folder+":"), begun), cobra.ShellCompDirectiveNoFileComp
	}
	if strings.ContainsAny(begun, "./") { // a package
		return nil, folders
	}
	var names []string
	for _, e := range a.Systems {
		names = append(names, e.Name+"\t"+e.Summary)
	}
	return beginning(names, begun), directive
}

// testsIn returns the tests in a folder that appear to check systems, with a prefix.
func testsIn(folder, prefix string) []string {
	tests, _ := testFunctions(folder, testFiles(folder))
	for i := range tests {
		tests[i] = prefix + tests[i]
	}
	return tests
}

// testFiles returns the names of the test files in a folder. There are none if the name of the folder contains wildcards.
func testFiles(folder string) []string {
	names, _ := filepath.Glob(filepath.Join(folder, "*_test.go"))
	for i := range names {
		names[i] = filepath.Base(names[i])
	}
	return names
}

func beginning(words []string, begun string) []string {
	return slices.DeleteFunc(words, func(w string) bool { return !strings.HasPrefix(w, begun) })
}

// wordsOf returns the values of a flag that a system has.
func wordsOf(e spec.Entry, flag string) (words []string) {
	info, err := task.InfoOf(e)
	if err != nil {
		return nil
	}
	switch flag {
	case "bug":
		for _, b := range info.Bugs {
			words = append(words, b.ID+"\t"+b.Summary)
		}
	case "set":
		for _, p := range info.Params {
			words = append(words, p.Name+"=\t"+p.Help)
		}
	case "property":
		for _, p := range info.Properties {
			words = append(words, p.Name+"\t"+p.Kind)
		}
	}
	return words
}
