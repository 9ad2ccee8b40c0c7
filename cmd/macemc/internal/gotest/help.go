package gotest

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"
)

// helpAll is the flag that adds details to help.
const helpAll = "help-all"

// usage is the first text of help.
const usage = `Runs "go test" with the same packages and flags, and executes each test function many times,
each time under a different schedule of its goroutines. Time is virtual, and the network is in
memory. It reports deadlocks, leaked goroutines, panics, failures and, with -race, data races.

Each finding is replayed in a new process, minimized, and saved in testdata/macemc. Saved
findings are executed first. docs/test-exploration.md describes the exploration.`

// details is the text that --help-all adds to help.
const details = `The build uses a copy of a few files of the Go distribution in use, changed so that
goroutines can be scheduled. The copy is kept in the user's cache folder. The first build
of a version takes a minute, as it includes the standard library. Tests that check
systems with package mctest run once, as with go test.

Other commands build packages that use package bubble in the same way. --env prints the
variables of this build, see docs/goroutines.md, Commands.

A stored finding whose file has a line "known REASON" is known: it does not fail its test.

Exit status: 0 without a new finding, 1 with one or if a test fails, 2 if the arguments or a
stored schedule are wrong, 3 if a known finding occurs in every schedule of a test, which hides
all others. If a signal ends the command before anything is found, the status is 130 after
Ctrl-C, 143 after SIGTERM or SIGHUP, and 141 after SIGPIPE.`

const examples = `  macemc test ./...
  macemc test -race ./lease
  macemc test -explore-time 1m -run TestRenew ./lease
  macemc test -exhaustive -run TestRenew ./lease
  macemc test -schedule last ./lease`

// moreExamples are those that --help-all adds.
const moreExamples = `
  macemc test -schedules 10000 -run TestRenew ./lease
  macemc test -run TestRenew -schedule lease/testdata/macemc/TestRenew/deadlock-1.path ./lease
  macemc test -C ../other ./...
  macemc test -junit macemc.xml -sarif macemc.sarif ./...
  macemc test ./mysvc -macemc.time=5m
  macemc test --env > .macemc.env`

// usageTemplate lists the flags, which the command parses itself because others belong to go test.
const usageTemplate = `Usage:
  {{.UseLine}}

Examples:
{{.Example}}

Flags:
  -schedules N        stop after N schedules of each test (default: no limit)
  -explore-time D     stop after D of processor time for each test (default: 2s; with
                      -exhaustive 1m, with -schedules no limit)
  -explore-total D    stop after D of processor time for all tests (default: 10m, or no limit if
                      one for each test is given), and say what is left untried
  -explore-seed N     seed the schedules with N (default 1)
  -explore-delay D    delay goroutines by up to D of the test's clock, so that timers fire before
                      them (default 1ms, and longer where predictions need it)
  -exhaustive[=N]     explore all schedules, or those with at most N preemptions and early timers
  -schedule FILE      execute only the schedule in FILE, or the newest finding if last
  -leaks=false        do not fail tests that leave goroutines behind, only mention them
  -explore=false      execute each test once, as go test does
  -junit FILE         also write JUnit XML to FILE, or - for standard output; likewise
                      -sarif, -lines (file:line: message) and -github (annotations)
  --env               print the environment of this build, for editors and debuggers
  --help-all          show details and more examples
  -h, --help          help for test

Flags of go test, such as:
  -run REGEXP         execute only the tests that match REGEXP
  -race               report data races, and switch goroutines at memory accesses, too
  -v                  show all tests, with their schedules and coverage
  -tags LIST          build with the tags LIST
`

// setHelp sets the help of the command. --help-all shows the details.
func setHelp(cmd *cobra.Command) {
	all := cmd.Flags().Bool(helpAll, false, "show details and more examples")
	cmd.SetUsageTemplate(usageTemplate)
	help := cmd.HelpFunc()
	cmd.SetHelpFunc(func(c *cobra.Command, args []string) {
		c.Long, c.Example = usage+"\n\n--help-all shows details, and the exit status.", examples
		if *all {
			c.Long, c.Example = usage+"\n\n"+details, examples+moreExamples
		}
		help(c, args)
	})
}

// completeFlags completes the flags that go test does not have. Other arguments are files and folders.
func completeFlags(_ *cobra.Command, _ []string, begun string) (names []string, directive cobra.ShellCompDirective) {
	for _, name := range flagNames() {
		if strings.HasPrefix("-"+name, begun) && begun != "" {
			names = append(names, "-"+name)
		}
	}
	return names, cobra.ShellCompDirectiveDefault
}

// helpWanted reports whether the arguments ask for help, and whether for all of it.
func helpWanted(args []string) (wanted, all bool) {
	args, _ = splitArgs(args)
	for _, arg := range args {
		switch {
		case slices.Contains([]string{"-h", "-help", "--help"}, arg):
			wanted = true
		case arg == "-"+helpAll || arg == "--"+helpAll:
			wanted, all = true, true
		}
	}
	return wanted, all
}
