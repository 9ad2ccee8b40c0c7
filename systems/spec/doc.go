// Package spec describes bundled systems as plain data: what can be set, within which ranges, which
// known bugs can be put back, and how to build the [sim.System]. The command line, the search and
// the documentation list and build systems from these descriptions alone.
package spec
