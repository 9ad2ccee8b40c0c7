package vet_test

import (
	"fmt"
	"strings"

	"github.com/macemc/macemc/cmd/macemc-vet/vet"
)

// reference returns the reference of the hazards in Markdown: docs/vet.md.
func reference() string {
	var b strings.Builder
	b.WriteString(`# macemc vet

A handler must be a function of its node's state, the event, and its choices. ` + "`macemc vet`" + ` reads Go packages and reports code that
violates this rule, with the calls that lead to it and an alternative. The program ` + "`macemc-vet`" + ` executes the command.

    macemc vet                           # the package in this folder, with its tests
    macemc vet ./mysvc ./internal/...    # patterns as for go build
    macemc vet --tags integration --json ./...

The exit status is 0 if no hazard was found, 1 if hazards were found, and 2 for wrong arguments or a package that does not
build.

`)
	b.WriteString("## Hazards\n\n")
	for _, k := range vet.Kinds() {
		fmt.Fprintf(&b, "### %s (`%s`)\n\n%s\n\nInstead: %s.\n\n", k.Title, k.Kind, k.Doc, k.Instead)
	}
	b.WriteString(`## Programs with goroutines

Package bubble controls time, random numbers, goroutines and maps. In programs (functions that take a *bubble.Host, or are passed to
bubble.Service or bubble.Call) four hazards remain: package variables that are written outside sync.Once, addresses in text, input from
outside, and ranges over maps whose keys are pointers, channels or interfaces.

## Exceptions

A comment with a reason suppresses a hazard:

    for id := range n.peers { //macemc:ok there is one peer at most

It applies to its own line, to the next line, or to a whole function as part of the function's comment. The line may be that of the
hazard or of a call that leads to it. A comment above the package clause exempts a library function for the package:

    //macemc:ok rand.Int: raft draws election time-outs, and no tick ever reaches one
    package mysvc

## What the analysis follows

The analysis starts from handlers, monitors, properties, the functions of sim.System and sim.Action, and every function that takes a
sim.Env, a *machine.Ctx or a *sim.View. It follows calls by name through all packages outside the standard library. In other modules
it reports only clocks, random numbers, concurrency and input from outside, at the call from your module.

It does not follow function values from other packages, nor implementations of interfaces in other packages. It does not detect changes
of package variables through pointers. An empty report is therefore not a proof. Every search also executes a sample of its runs twice,
and reports the step and field that differ.

The analyzer is ` + "`vet.Analyzer`" + ` in ` + "`github.com/macemc/macemc/cmd/macemc-vet/vet`" + `, for any driver of golang.org/x/tools/go/analysis.
`)
	return b.String()
}
