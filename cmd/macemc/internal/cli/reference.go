package cli

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/macemc/macemc/internal/task"
)

// Reference returns the complete help of all commands as pages of Markdown, by file name. Each command has a page, which includes its
// subcommands. The page macemc.md describes the program and links to the others. The page of a command that another program executes is
// empty.
func Reference(c Config) (map[string]string, error) {
	a := &app{Process: task.Process{Systems: c.Systems}, config: c}
	root := a.command()
	showAll(root)
	first, err := section(root, "#")
	if err != nil {
		return nil, err
	}
	pages := map[string]string{}
	for _, cmd := range root.Commands() {
		if cmd.Hidden {
			continue
		}
		name := cmd.Name() + ".md"
		if cmd.Annotations[companion] != "" {
			pages[name] = ""
		} else if pages[name], err = sections(cmd, "#"); err != nil {
			return nil, err
		}
		first += fmt.Sprintf("\n* [%s](%s): %s", cmd.Name(), name, cmd.Short)
	}
	pages["macemc.md"] = first + "\n"
	return pages, nil
}

// sections returns the help of a command and of its subcommands.
func sections(cmd *cobra.Command, heading string) (string, error) {
	text, err := section(cmd, heading)
	for _, sub := range cmd.Commands() {
		if err != nil || sub.Hidden {
			continue
		}
		var more string
		more, err = sections(sub, "##")
		text += "\n" + more
	}
	return text, err
}

// section returns the complete help of one command.
func section(cmd *cobra.Command, heading string) (string, error) {
	text, err := helpText(cmd)
	return fmt.Sprintf("%s %s\n\n```text\n%s\n```\n", heading, cmd.CommandPath(), text), err
}

// helpText returns the help of a command with all its flags.
func helpText(cmd *cobra.Command) (string, error) {
	var text bytes.Buffer
	cmd.SetOut(&text)
	cmd.InitDefaultHelpFlag()
	cmd.InitDefaultVersionFlag()
	if all := cmd.Flags().Lookup("help-all"); all != nil {
		if err := all.Value.Set("true"); err != nil {
			return "", err
		}
	}
	err := cmd.Help()
	return strings.TrimSpace(text.String()), err
}
