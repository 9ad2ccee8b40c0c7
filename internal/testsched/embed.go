package testsched

import "embed"

// Source is the part of the source of this package, and of program, that package testing needs. internal/overlay adds it to the
// distribution.
//
//go:embed agent.go coder.go connection.go connection_other.go connection_unix.go environment.go frames.go identity.go leaks.go messages.go
//go:embed objects.go outcome.go printed.go record_other.go record_unix.go runner.go schedule.go switch.go systematic.go unit.go waitlist.go
//go:embed program/frame.go program/message.go program/names.go program/operand.go program/operation.go
//go:embed program/processor_other.go program/processor_unix.go program/race.go program/source.go program/variables.go
var Source embed.FS
