package mdb

import (
	"bytes"
	"context"
	"errors"
	"strings"

	"github.com/macemc/macemc/internal/inspect"
	"github.com/macemc/macemc/internal/replay"
	"github.com/macemc/macemc/mdb/internal/variables"
)

func variableCommands() []command {
	list := []command{
		{
			name: "locals", about: "show the local variables of the selected frame",
			do: func(s *Session, ctx context.Context, _ []string, out *bytes.Buffer) error {
				return variablesOf(s).Show(ctx, inspect.Locals, out)
			},
		},
		{
			name: "args", about: "show the arguments of the selected frame's function",
			do: func(s *Session, ctx context.Context, _ []string, out *bytes.Buffer) error {
				return variablesOf(s).Show(ctx, inspect.Arguments, out)
			},
		},
		{
			name: "print", args: "EXPRESSION", about: "evaluate an expression in the selected frame",
			more: "The expression has the syntax of Delve, which is that of Go: s.items[0], *p, len(m), a == b.\n" +
				"A debugger executes the run again: a test up to the operation of the step, which has not yet been\n" +
				"executed, a program up to the end of the step, and a handler until it returns or panics. The first\n" +
				"time, this builds the test without optimization.",
			do: inspecting((*variables.Session).Print),
		},
		{
			name: "line", args: "[COUNT]", about: "go to the next line of the handler of this step, or COUNT lines on",
			more: "The first use goes to the first line. \"line -1\" goes back. At a line, \"watch\" and \"when\" evaluate at\n" +
				"each line of the handler.",
			do: inspecting((*variables.Session).Line),
		},
		{
			name: "frame", args: "[NUMBER]", about: "list the frames of the selected goroutine, or select one",
			do: inspecting((*variables.Session).SelectFrame),
		},
		{
			name: "goroutine", args: "[NODE] [GOROUTINE]", test: variant{usage: "goroutine [GOROUTINE]"},
			about: "list the goroutines with their places, or select one until the next move",
			more:  "In a system, n1 selects the program of node 1, g3 its goroutine 3, and \"n1 g3\" both.",
			do:    inspecting((*variables.Session).SelectGoroutine),
		},
		{
			name: "finish", serves: ofTest, about: "show variables as they are after the last step, at the end of the run",
			do: func(s *Session, ctx context.Context, _ []string, out *bytes.Buffer) error {
				if err := s.to(s.run.Len(), out); err != nil {
					return err
				}
				return variablesOf(s).Finish(ctx, out)
			},
		},
	}
	list = append(list, sweepCommands()...)
	for i := range list {
		list[i].group = values
	}
	return list
}

// sweepCommands returns the commands that evaluate an expression before each step, and one that is refused.
func sweepCommands() []command {
	return []command{
		{
			name: "watch", args: "EXPRESSION", about: "list the steps between which the value of an expression changes",
			do: inspecting((*variables.Session).Watch),
			more: "The expression is evaluated before each step, in the selected goroutine. \"goroutine g1\" selects the one\n" +
				"that executes the test. There it is looked for in the innermost frame of the function that has it at the\n" +
				"current step.",
		},
		{
			name: "when", args: "CONDITION", about: "go to the first step before which a condition holds", do: inspecting((*variables.Session).When),
			more: "The condition is evaluated as by \"watch\".",
		},
		{
			name: "set", args: "VARIABLE = VALUE", about: "is refused: a run that is executed again is not changed",
			do: func(*Session, context.Context, []string, *bytes.Buffer) error {
				return errors.New("a run that is executed again is not changed; \"take\" tries another order")
			},
		},
	}
}

// inspecting returns the function of a command.
func inspecting(do func(s *variables.Session, ctx context.Context, args []string, out *bytes.Buffer) error) action {
	return func(s *Session, ctx context.Context, args []string, out *bytes.Buffer) error {
		return do(variablesOf(s), ctx, args, out)
	}
}

// variablesOf returns the session for commands about variables.
func variablesOf(s *Session) *variables.Session {
	return &variables.Session{Kind: s.variables, Run: s.run, Opened: s.runs[0], Node: s.node, Scope: &s.scope, Inspect: s.cfg.Inspect,
		To: s.to, Code: codeLine, NodeID: s.nodeID}
}

// codeLine returns a line of a source file. It is empty if the file is not at hand.
func codeLine(file string, line int) string {
	_, lines, err := replay.Source(file, line, 0)
	if err != nil || len(lines) != 1 {
		return ""
	}
	return strings.TrimSpace(lines[0])
}
