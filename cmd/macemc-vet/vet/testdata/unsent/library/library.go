// Package library has a machine for others, which may send it what they can name.
package library

import "github.com/macemc/macemc/machine"

type (
	Ask    struct{}
	hidden struct{}
)

type server struct{}

// Kind is that machine.
var Kind = machine.Define[server]("server", machine.In("up", machine.Ignore(Ask{}), machine.Ignore(hidden{}))) // want "rule for hidden in state up"
