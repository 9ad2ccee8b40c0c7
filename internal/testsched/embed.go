package testsched

import "embed"

// Source is the part of the source of this package, and of program, that package testing needs. internal/overlay adds it to the
// distribution.
//
//go:embed corpus.go death.go directed.go encoding.go environment.go exhaustive.go explore.go frames.go known.go leftovers.go lines.go minimize.go outcome.go
//go:embed program/flags.go program/frame.go program/message.go program/names.go program/operand.go program/operation.go
//go:embed program/processor_other.go program/processor_unix.go program/race.go program/rows.go program/source.go program/variables.go
//go:embed objects.go printed.go process.go report.go same.go schedule.go settings.go shared_other.go shared_unix.go stage.go stopwatch.go subtests.go summary.go unit.go
var Source embed.FS
