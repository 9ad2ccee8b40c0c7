package cli

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
)

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
