package cli

import (
	"strings"

	"github.com/macemc/macemc/internal/format"
)

// formatHelp returns the help of a flag that chooses one of several formats.
func formatHelp[D any](t format.Table[D]) string {
	return "`NAME`, one of " + strings.Join(t.Names(), ", ") + " (default: by extension of OUT)"
}
