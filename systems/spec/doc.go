// Package spec describes bundled systems as plain data: the parameters and their ranges, the known bugs that can be
// reintroduced, and the constructor of the [sim.System]. The command line, the search and the documentation use these
// descriptions alone.
package spec
