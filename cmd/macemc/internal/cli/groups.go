package cli

import (
	"strconv"
	"strings"

	"github.com/spf13/cobra"
)

// helpColumns is the width of help texts. The descriptions of flags are wrapped.
const helpColumns = 100

// group sorts the commands that help shows into groups. "help --all" also shows the others.
func (a *app) group(root *cobra.Command) {
	for _, g := range []struct{ title, commands string }{
		{"Find violations:", "new test search vet systems"},
		{"Understand them:", "mdb replay report graph"},
		{"Run the same code on a network:", "live"},
	} {
		root.AddGroup(&cobra.Group{ID: g.title, Title: g.title})
		for name := range strings.FieldsSeq(g.commands) {
			if c, _, err := root.Find([]string{name}); err == nil {
				c.GroupID = g.title
			}
		}
	}
	before, rest, _ := strings.Cut(root.UsageTemplate(), "{{if not .AllChildCommandsHaveGroup}}")
	_, after, _ := strings.Cut(rest, "{{end}}{{end}}{{end}}")
	root.SetUsageTemplate(strings.ReplaceAll(before+after, "FlagUsages", "FlagUsagesWrapped "+strconv.Itoa(helpColumns+1)))
}

// showAll makes help show all commands.
func showAll(root *cobra.Command) { groupRest(root, "More:") }

// groupRest puts all commands without a group into a new one.
func groupRest(root *cobra.Command, title string) {
	root.AddGroup(&cobra.Group{ID: title, Title: title})
	for _, c := range root.Commands() {
		if c.GroupID == "" {
			c.GroupID = title
		}
	}
}

// helpCommand adds the flag of the command help, and makes it reject arguments that are not commands.
func helpCommand(root *cobra.Command) {
	root.InitDefaultHelpCmd()
	c, _, err := root.Find([]string{"help"})
	if err != nil {
		return
	}
	all := c.Flags().Bool("all", false, "list all commands")
	c.Args = func(_ *cobra.Command, args []string) error {
		about, rest, _ := root.Find(args) // rest holds the unknown arguments
		return noneOf("unknown command", about, rest)
	}
	show := c.Run
	c.Run = func(c *cobra.Command, args []string) {
		if *all {
			showAll(root)
		}
		show(c, args)
	}
}
