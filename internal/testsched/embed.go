package testsched

import "embed"

// Source is the source of this package but for this file, for internal/overlay.
//
//go:embed exhaustive.go explore.go frames.go minimize.go outcome.go race.go report.go schedule.go settings.go variables.go
var Source embed.FS
