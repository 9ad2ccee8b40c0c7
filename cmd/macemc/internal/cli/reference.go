package cli

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/macemc/macemc/internal/task"
	"github.com/spf13/cobra"
)

// Reference is the help of all commands as a page of Markdown.
func Reference(c Config) (string, error) {
	a := &app{Process: task.Process{Systems: c.Systems}, config: c}
	var page strings.Builder
	page.WriteString("# Commands\n\nWhat `macemc COMMAND --help` says of each command.\n")
	var add func(*cobra.Command) error
	add = func(cmd *cobra.Command) error {
		if cmd.Hidden {
			return nil
		}
		var text bytes.Buffer
		cmd.SetOut(&text)
		if all := cmd.Flags().Lookup("help-all"); all != nil {
			if err := all.Value.Set("true"); err != nil {
				return err
			}
		}
		if err := cmd.Help(); err != nil {
			return err
		}
		fmt.Fprintf(&page, "\n## %s\n\n```text\n%s\n```\n", cmd.CommandPath(), strings.TrimSpace(text.String()))
		for _, sub := range cmd.Commands() {
			if err := add(sub); err != nil {
				return err
			}
		}
		return nil
	}
	err := add(a.command())
	return page.String(), err
}
