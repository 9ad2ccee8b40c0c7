package vet

import (
	"fmt"
	"strings"
)

// Reference returns the reference of the hazards in Markdown: docs/vet.md.
func Reference() string {
	var b strings.Builder
	b.WriteString(`# macemc vet

A handler must be a function of its node's state, the event, and its choices. ` + "`macemc vet`" + ` reads Go packages and reports code that
breaks this rule, with the calls that lead to it and what to use instead. The program ` + "`macemc-vet`" + ` executes the command.

    macemc vet                           # the package in this folder, with its tests
    macemc vet ./mysvc ./internal/...    # patterns as for go build
    macemc vet --tags integration --json ./...

Exit status 0: no hazard found; 1: hazards found; 2: bad usage, or a package that does not build (with the compiler's
message).

`)
	b.WriteString("## Hazards\n\n")
	for _, k := range Kinds() {
		fmt.Fprintf(&b, "### %s (`%s`)\n\n%s\n\nInstead: %s.\n\n", k.Title, k.Kind, k.Doc, k.Instead)
	}
	b.WriteString(`## Programs with goroutines

Functions that take a *bubble.Host, or are passed to bubble.Service or bubble.Call, are programs in package bubble. It controls time,
random numbers, goroutines and maps. Four hazards remain: package variables that are written outside sync.Once, addresses in text, files and
other input from outside the node, and ranges over maps whose keys are pointers, channels or interfaces.

## Exceptions

A comment with a reason suppresses a hazard:

    for id := range n.peers { //macemc:ok there is one peer at most

It applies to its own line, to the next line, or to a whole function if it stands in the function's comment. The line may be that of the
hazard or of a call that leads to it. A comment above the package clause exempts a library function for the package:

    //macemc:ok rand.Int: raft draws election time-outs, and no tick ever reaches one
    package mysvc

## What the analysis follows

It starts from handlers, monitors, properties, the functions of sim.System and sim.Action, and every function that takes a
sim.Env, a *machine.Ctx or a *sim.View. It follows calls by name through all packages outside the standard library. A hazard in another
module is reported where your module calls it, and only clocks, random numbers, concurrency and input from outside count there.

It does not follow function values from elsewhere, nor implementations of interfaces in other packages. It does not see package variables
that change through pointers. An empty report is therefore not a proof. Every search also executes a sample of its runs twice, and reports
the step and field that differ.

The analyzer is ` + "`vet.Analyzer`" + ` in ` + "`github.com/macemc/macemc/cmd/macemc-vet/vet`" + `, for any driver of golang.org/x/tools/go/analysis.
`)
	return b.String()
}
