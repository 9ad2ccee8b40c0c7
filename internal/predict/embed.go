package predict

import "embed"

// Source is the source of this package. internal/overlay adds it to the distribution.
//
//go:embed clocks.go cycles.go doc.go flips.go predictor.go record.go
var Source embed.FS
