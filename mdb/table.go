package mdb

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// kind is a kind of runs.
type kind int

const (
	both     kind = iota
	ofSystem      // executed runs of systems
	ofTest        // recorded runs of tests
)

// action is the function of a command.
type action func(s *Session, ctx context.Context, args []string, out *bytes.Buffer) error

// command is an entry of the table of commands, from which help and reference are generated.
type command struct {
	name    string
	aliases []string
	group   string
	args    string // as in usage
	usage   string // set by commandsFor
	about   string // one line
	more    string // further paragraphs, or ""
	do      action
	serves  kind
	test    variant // what differs on the runs of tests
	// branches means that the command continues another run.
	branches bool
	// words returns possible arguments, for completion.
	words func(s *Session) []string
}

// variant replaces parts of a command. Texts that it does not replace name goroutines instead of nodes.
type variant struct {
	usage, about, more string
	do                 action
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
			do: info, test: variant{do: testInfo},
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

// commandsFor returns the table for a kind of runs.
func commandsFor(k kind) []command {
	table := commands()
	for i := range table {
		c := &table[i]
		c.usage = strings.TrimSpace(c.name + " " + c.args)
		if k == ofTest {
			c.usage = cmp.Or(c.test.usage, ofGoroutines.Replace(c.usage))
			c.about = cmp.Or(c.test.about, ofGoroutines.Replace(c.about))
			c.more = cmp.Or(c.test.more, ofGoroutines.Replace(c.more))
			if c.test.do != nil {
				c.do = c.test.do
			}
		}
	}
	return table
}

// refuses returns why a command does not work in the session; nil means that it works.
func (s *Session) refuses(c *command) error {
	switch {
	case c.serves == both || c.serves == s.kind:
		return nil
	case c.serves == ofTest:
		return fmt.Errorf("%s is for the goroutines of a test, and this is the run of a system", c.name)
	}
	text := fmt.Sprintf("%q needs a system of nodes", c.name)
	if c.group == trying && s.cfg.Try != nil {
		return errors.New(text + "; in the schedule of a test use \"options\" and \"take gN\"")
	}
	return errors.New(text + ", and this is the schedule of a test; \"help\" lists what can be done")
}

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

// help lists the commands, or describes one.
func help(s *Session, _ context.Context, args []string, out *bytes.Buffer) error {
	if len(args) > 0 {
		c, err := s.command(args[0])
		if err != nil {
			return err
		}
		fmt.Fprintf(out, "%s\n  %s\n", c.usage, c.about)
		if len(c.aliases) > 0 {
			fmt.Fprintf(out, "  also: %s\n", strings.Join(c.aliases, ", "))
		}
		if c.more != "" {
			fmt.Fprintf(out, "\n%s\n", indent(c.more, "  "))
		}
		return nil
	}
	for _, g := range groups() {
		fmt.Fprintf(out, "%s\n", g)
		for _, c := range s.table {
			if c.group != g || s.refuses(&c) != nil {
				continue
			}
			left := c.usage
			if len(c.aliases) > 0 {
				left += " (" + strings.Join(c.aliases, ", ") + ")"
			}
			if len(left) > 36 {
				fmt.Fprintf(out, "  %s\n  %-36s %s\n", left, "", c.about)
			} else {
				fmt.Fprintf(out, "  %-36s %s\n", left, c.about)
			}
		}
	}
	fmt.Fprintln(out, "A number alone goes to that step; separate commands by \";\"; a unique prefix of a name is enough.")
	return nil
}

func indent(text, by string) string {
	return by + strings.ReplaceAll(text, "\n", "\n"+by)
}
