package vet

import (
	"fmt"
	"strings"
)

// Reference is the reference of the hazards as Markdown: docs/vet.md.
func Reference() string {
	var b strings.Builder
	b.WriteString(`# macemc vet

A handler is a function of its node's state, the event, and the answers to its questions. ` + "`macemc vet`" + ` reads Go packages
and reports what breaks this rule, with the way from a handler to it and what to use instead. The program ` + "`macemc-vet`" + `
executes the command: ` + "`make build`" + ` builds it, and ` + "`go install github.com/macemc/macemc/cmd/macemc-vet@latest`" + ` installs it.

    macemc vet                           # the package in this folder, with its tests
    macemc vet ./mysvc ./internal/...    # patterns as for go build
    macemc vet --tags integration --json ./...

Exit status 0: no hazard found; 1: hazards found; 2: bad usage, or a package that does not build (the compiler's
message is shown).

`)
	b.WriteString("## Hazards\n\n")
	for _, k := range Kinds() {
		fmt.Fprintf(&b, "### %s (`%s`)\n\n%s\n\nInstead: %s.\n\n", k.Title, k.Kind, k.Doc, k.Instead)
	}
	b.WriteString(`## Ordinary programs

Time, random numbers, goroutines and maps of programs that run in package bubble are under control. Reported are in them, and in all that
they call: package variables that are written (but those that are set up behind sync.Once), addresses in text, input from outside of
the ` + "`bubble.Host`" + `, and ranges over maps whose keys are pointers, channels or interfaces, when the body calls, sends or returns. A
program is every function that takes a *bubble.Host, and every function that is passed to bubble.Service or bubble.Call.

## Hazards that are none

A comment says why:

    for id := range n.peers { //macemc:ok there is one peer at most

It counts in the line of the hazard or of a call on the way to it, in a line of its own before that, or in the comment of a
function for all of the function. A comment without a reason is reported itself. What a library does in
many places is exempted for a package by a comment above its package clause that names it:

    //macemc:ok rand.Int: raft draws election time-outs, and no tick ever reaches one
    package mysvc

## What is followed

Handlers are the methods Boot, Receive, Timer, PeerError and PeerReady of types that implement sim.Service, Observe of
monitors, AppendState methods, the functions in sim.System, sim.Action and sim.Property, functions passed to
functions of package sim, and every function that takes a sim.Env, a *machine.Ctx, or a *sim.View. Calls are followed by name, through
all packages that are not of the standard library: functions and methods, also when they are passed on as values, package
variables that hold functions or are read, and interface methods that types of the same package implement. A hazard in a
package of another module is reported where your module calls it; only clocks, random numbers, concurrency and input from
outside are looked for there, because libraries have caches, pools and maps that mostly do not show. The standard library
is known by a table.

Not followed are function values from elsewhere and implementations of interfaces in other packages, unless they take
a sim.Env. Not noticed are package variables that are changed through pointers or copies of maps, and ranges over maps that
call methods which depend on the order of their calls. So an empty report is no proof: every search executes a sample
of its runs twice and compares them state by state, and reports the step and field that differ.

## In other tools

The analyzer is ` + "`vet.Analyzer`" + ` in ` + "`github.com/macemc/macemc/cmd/macemc-vet/vet`" + `, for any driver of golang.org/x/tools/go/analysis. It is our own because
the general ones for deterministic code report every range over a map, whether its order shows or not, do not notice
shared variables and addresses, and need the source of the whole standard library.
`)
	return b.String()
}
