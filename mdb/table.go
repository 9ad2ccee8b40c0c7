package mdb

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strings"
)

// command is an entry of the table of commands, from which help and reference are generated.
type command struct {
	name    string
	aliases []string
	group   string
	args    string // as in usage
	about   string // one line
	more    string // further paragraphs, or ""
	// recordedUsage, recordedAbout and recordedMore are the texts for a recorded test; empty ones mean those of all.
	recordedUsage, recordedAbout, recordedMore string
	do                                         func(s *Session, ctx context.Context, args []string, out *bytes.Buffer) error
	// system means that the command executes steps of a system, so that it does not work on a recorded test. recorded means the opposite.
	system, recorded bool
	// words returns possible arguments, for completion.
	words func(s *Session) []string
}

// Groups of commands, in the order of the help.
const (
	moving    = "Going through the run"
	finding   = "Finding steps"
	looking   = "Looking at a state"
	comparing = "Comparing"
	trying    = "Trying something else"
	session   = "The session"
)

func groups() []string { return []string{moving, finding, looking, comparing, trying, session} }

// commands is the table.
func commands() []command {
	return slices.Concat(moveCommands(), findCommands(), showCommands(), compareCommands(), tryCommands(), []command{
		{
			name: "info", aliases: []string{"i"}, group: session, about: "this session: system, run, violated property, critical step",
			do: info,
		},
		{
			name: "help", aliases: []string{"h", "?"}, group: session, args: "[COMMAND]", about: "list all commands, or describe one",
			do: help, words: (*Session).names,
		},
		{
			name: "quit", aliases: []string{"q", "exit"}, group: session, about: "end the session",
			more: "Repeat the command to discard branches that are not saved.",
			do:   func(s *Session, _ context.Context, _ []string, _ *bytes.Buffer) error { return s.Quit() },
		},
	})
}

func (c *command) usage() string { return strings.TrimSpace(c.name + " " + c.args) }

// command finds a command by its name, an alias, or a unique prefix of its name.
func (s *Session) command(name string) (*command, error) {
	var like []*command
	for i := range s.table {
		c := &s.table[i]
		if c.name == name || slices.Contains(c.aliases, name) {
			return c, nil
		}
		if strings.HasPrefix(c.name, name) && s.refuses(c) == nil {
			like = append(like, c)
		}
	}
	switch len(like) {
	case 1:
		return like[0], nil
	case 0:
		return nil, fmt.Errorf("there is no command %q; \"help\" lists all", name)
	}
	var names []string
	for _, c := range like {
		names = append(names, c.name)
	}
	return nil, fmt.Errorf("%q may be %s", name, strings.Join(names, " or "))
}

func (s *Session) names() []string {
	var names []string
	for _, c := range s.table {
		if s.refuses(&c) == nil {
			names = append(names, c.name)
		}
	}
	return names
}

// adaptText returns a help text in the words of the session: nodes, or goroutines.
func (s *Session) adaptText(text string) string {
	if s.cfg.Trace != nil {
		return ofGoroutines.Replace(text)
	}
	return text
}

// usageOf returns the usage of a command in the help.
func (s *Session) usageOf(c *command) string {
	if s.cfg.Trace != nil && c.recordedUsage != "" {
		return c.recordedUsage
	}
	return s.adaptText(c.usage())
}

// aboutOf returns the line about a command in the help.
func (s *Session) aboutOf(c *command) string {
	if s.cfg.Trace != nil && c.recordedAbout != "" {
		return c.recordedAbout
	}
	return s.adaptText(c.about)
}

// help lists the commands, or describes one.
func help(s *Session, _ context.Context, args []string, out *bytes.Buffer) error {
	if len(args) > 0 {
		c, err := s.command(args[0])
		if err != nil {
			return err
		}
		fmt.Fprintf(out, "%s\n  %s\n", s.usageOf(c), s.aboutOf(c))
		if len(c.aliases) > 0 {
			fmt.Fprintf(out, "  also: %s\n", strings.Join(c.aliases, ", "))
		}
		if s.cfg.Trace != nil && c.recordedMore != "" {
			fmt.Fprintf(out, "\n%s\n", indent(c.recordedMore, "  "))
		} else if c.more != "" {
			fmt.Fprintf(out, "\n%s\n", indent(s.adaptText(c.more), "  "))
		}
		return nil
	}
	for _, g := range groups() {
		fmt.Fprintf(out, "%s\n", g)
		for _, c := range s.table {
			if c.group != g || s.refuses(&c) != nil {
				continue
			}
			left := s.usageOf(&c)
			if len(c.aliases) > 0 {
				left += " (" + strings.Join(c.aliases, ", ") + ")"
			}
			if len(left) > 36 {
				fmt.Fprintf(out, "  %s\n  %-36s %s\n", left, "", s.aboutOf(&c))
			} else {
				fmt.Fprintf(out, "  %-36s %s\n", left, s.aboutOf(&c))
			}
		}
	}
	fmt.Fprintln(out, "A number alone goes to that step; separate commands by \";\"; a unique prefix of a name is enough.")
	return nil
}

func indent(text, by string) string {
	return by + strings.ReplaceAll(text, "\n", "\n"+by)
}

// Reference describes all commands in Markdown.
func Reference() string {
	var b strings.Builder
	b.WriteString(referenceHead)
	for _, g := range groups() {
		fmt.Fprintf(&b, "\n## %s\n", g)
		for _, c := range commands() {
			if c.group != g {
				continue
			}
			fmt.Fprintf(&b, "\n### `%s`\n\n%s.", c.usage(), upperFirst(c.about))
			if len(c.aliases) > 0 {
				fmt.Fprintf(&b, " Also: `%s`.", strings.Join(c.aliases, "`, `"))
			}
			b.WriteString("\n")
			if c.more != "" {
				fmt.Fprintf(&b, "\n```\n%s\n```\n", c.more)
			}
			if c.recordedMore != "" {
				fmt.Fprintf(&b, "\nFor the schedule of a test:\n\n```\n%s\n```\n", c.recordedMore)
			}
		}
	}
	return b.String()
}

func upperFirst(s string) string { return strings.ToUpper(s[:1]) + s[1:] }

const referenceHead = `# mdb: looking at a run

    macemc mdb FILE [LIVE]                         on a terminal: the screen; elsewhere: a prompt
    macemc mdb FILE [LIVE] --batch -x 'CMD; CMD'   executes the commands and ends
    macemc mdb FILE [LIVE] --web                   serves a page to a browser on this computer
    macemc mdb SYSTEM                              begins at the first state of a system

FILE is the path file or the recording of a run, or [the schedule of a test](#the-schedule-of-a-test). LIVE is another
run for comparison, by default ` + "`live.path`" + ` beside FILE. The critical step comes from ` + "`report.json`" + ` beside FILE.

A session is at the state after a step of a run. Step 0 is the initial state. ` + "`--batch`" + ` and ` + "`-x`" + ` begin there,
other sessions at the critical or last step. A number alone goes to that step.
Semicolons separate commands, and a unique prefix of a command's name is enough. ` + "`n2`" + ` is node 2. Regular expressions
have Go's syntax, may be enclosed in slashes, and ignore case unless they contain capitals.

On the screen the arrow keys step, Tab changes panes, ` + "`:`" + ` starts a command, and ` + "`?`" + ` shows all keys.
The [page of ` + "`--web`" + `](reports.md#in-a-browser) has the same keys, and a click on a lane goes to that step.

## The schedule of a test

FILE may be a schedule that ` + "`macemc test`" + ` has saved. The test is executed once under it, and then under schedules near it
until one passes: without one of its switches, in the default order, or with a few more switches or other draws. The session steps
through the recording. A node is a goroutine, such as ` + "`g2`" + `. A step is an operation that a goroutine is about to execute.
The state of a goroutine is its position, its operation, whether it runs, can run, waits or is held back, and who holds the lock.
The run that passes is called ` + "`passing`" + `. Except for ` + "`take`" + `, commands that execute steps or need messages, properties
or choices do not work.
`
