package cli

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/macemc/macemc/internal/task"
)

const referenceHead = "# Commands\n\nWhat `macemc COMMAND --help` says of each command.\n"

// Reference returns a page of Markdown with the help of all commands. Commands that another program executes keep the
// sections that they have in page.
func Reference(c Config, page string) (string, error) {
	a := &app{Process: task.Process{Systems: c.Systems}, config: c}
	const begin = "\n## "
	_, page, _ = strings.Cut(page, begin)
	was := strings.Split(page, begin)
	var sections []string
	var add func(*cobra.Command) error
	add = func(cmd *cobra.Command) error {
		if cmd.Hidden {
			return nil
		}
		if cmd.Annotations[companion] != "" {
			for _, s := range was {
				if title, _, _ := strings.Cut(s, "\n"); title == cmd.CommandPath() || strings.HasPrefix(title, cmd.CommandPath()+" ") {
					sections = append(sections, s)
				}
			}
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
		sections = append(sections, fmt.Sprintf("%s\n\n```text\n%s\n```\n", cmd.CommandPath(), strings.TrimSpace(text.String())))
		for _, sub := range cmd.Commands() {
			if err := add(sub); err != nil {
				return err
			}
		}
		return nil
	}
	err := add(a.command())
	return referenceHead + begin + strings.Join(sections, begin), err
}
