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
	// branches means that the command continues another run.
	branches bool
	// words returns possible arguments, for completion.
	words func(s *Session) []string
}

// Groups of commands, in the order of the help.
const (
	moving    = "Going through the run"
	finding   = "Finding steps"
	looking   = "Looking at a state"
	values    = "Variables"
	comparing = "Comparing"
	trying    = "Trying something else"
	session   = "The session"
)

func groups() []string {
	return []string{moving, finding, looking, values, comparing, trying, session}
}

// commands is the table.
func commands() []command {
	return slices.Concat(moveCommands(), findCommands(), showCommands(), variableCommands(), compareCommands(), tryCommands(), []command{
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
		return nil, fmt.Errorf("unknown command %q; \"help\" lists all", name)
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
