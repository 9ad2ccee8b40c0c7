package testsched

import "embed"

// Source is the source of this package that tests need, for internal/overlay.
//
//go:embed corpus.go exhaustive.go explore.go frames.go leftovers.go minimize.go outcome.go processor_other.go processor_unix.go race.go report.go
//go:embed schedule.go settings.go stopwatch.go variables.go
var Source embed.FS
