package cli

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
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

// manCommand returns the command with which "make install" writes the manual pages.
func (a *app) manCommand(root *cobra.Command) *cobra.Command {
	return &cobra.Command{
		Use:    "man DIR",
		Short:  "Write the manual pages of all commands into a folder",
		Hidden: true,
		Args:   exactlyOne("DIR"),
		RunE: func(_ *cobra.Command, args []string) error {
			if err := os.MkdirAll(args[0], 0o755); err != nil {
				return err
			}
			showAll(root)
			return writeManual(root, args[0])
		},
	}
}

// writeManual writes the pages of a command and of its subcommands.
func writeManual(cmd *cobra.Command, dir string) error {
	if cmd.Annotations[companion] != "" {
		return nil // the other program writes it
	}
	text, err := helpText(cmd)
	if err != nil {
		return err
	}
	name := strings.ReplaceAll(cmd.CommandPath(), " ", "-")
	if err := os.WriteFile(filepath.Join(dir, name+".1"), []byte(roff(name, cmd.Short, text)), 0o644); err != nil {
		return err
	}
	for _, sub := range cmd.Commands() {
		if sub.Hidden {
			continue
		}
		if err := writeManual(sub, dir); err != nil {
			return err
		}
	}
	return nil
}

// roff returns a manual page with an unchanged help text.
func roff(name, short, text string) string {
	var b strings.Builder
	fmt.Fprintf(&b, ".TH %s 1 \"\" macemc\n.SH NAME\n%s \\- %s\n.SH DESCRIPTION\n.nf\n", strings.ToUpper(name), name, short)
	for line := range strings.Lines(text) {
		line = strings.NewReplacer(`\`, `\e`, "-", `\-`).Replace(line)
		if strings.HasPrefix(line, ".") || strings.HasPrefix(line, "'") {
			line = `\&` + line
		}
		b.WriteString(line)
	}
	b.WriteString("\n.fi\n")
	return b.String()
}
