package mdb

import (
	"fmt"
	"strings"
)

// Reference describes all commands in Markdown.
func Reference() string {
	var b strings.Builder
	b.WriteString(referenceHead)
	for _, g := range groups() {
		fmt.Fprintf(&b, "\n## %s\n", g)
		for _, c := range commandsFor(ofSystem) {
			if c.group != g {
				continue
			}
			fmt.Fprintf(&b, "\n### `%s`\n\n%s.", c.usage, upperFirst(c.about))
			if len(c.aliases) > 0 {
				fmt.Fprintf(&b, " Also: `%s`.", strings.Join(c.aliases, "`, `"))
			}
			b.WriteString("\n")
			if c.more != "" {
				fmt.Fprintf(&b, "\n```\n%s\n```\n", c.more)
			}
			if c.test.more != "" {
				fmt.Fprintf(&b, "\nFor the schedule of a test:\n\n```\n%s\n```\n", c.test.more)
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

A session is at the state after a step of a run. Step 0 is the initial state. It begins at the critical step, the first
pause in the report, or else the last step (step 0 with ` + "`--batch`" + ` or ` + "`-x`" + `). A number alone goes to that step.
Semicolons separate commands, and a unique prefix of a command's name is enough. ` + "`n2`" + ` is node 2. Regular expressions
have Go's syntax, may be enclosed in slashes, and ignore case unless they contain capitals.

On the screen the arrow keys step, Tab changes panes, ` + "`:`" + ` starts a command, and ` + "`?`" + ` shows all keys.
The [page of ` + "`--web`" + `](reports.md#in-a-browser) has the same keys, and a click on a lane goes to that step.

## The schedule of a test

FILE may be a schedule that ` + "`macemc test`" + ` has saved. The test is executed once under it, and then under schedules near it
until one passes: without one of its switches, in the default order, or with a few more switches or other draws. The session steps
through the recording. A node is a goroutine, such as ` + "`g2`" + `. A step is an operation that a goroutine is about to execute.
The state of a goroutine is its position, its operation, whether it runs, can run, waits or is held back, and who holds the lock.
The run that passes is called ` + "`passing`" + `. Except for ` + "`options`, `take`" + ` and ` + "`instead`" + `,
commands that execute steps or need messages, properties or choices do not work.

## Real variables

[` + "`locals`" + `, ` + "`print`" + ` and other commands](#variables) show real variables at any step, forwards and backwards.
` + "`macemc-debug`" + ` executes the run again in a debugger, without optimization. It stops before the operation of a test's step,
after the step of a program, and where the handler of a service returns or panics. ` + "`finish`" + ` goes to the end of a test. Frames of
the checker and the Go runtime are hidden, and so are addresses. If the run does not fit the other build, an error names the step.
Tracing needs Linux, and in a container the capability ` + "`SYS_PTRACE`" + `.
`
