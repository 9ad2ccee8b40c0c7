package task

import (
	"fmt"
	"path/filepath"
	"strings"
)

// formatOf is the format in which a file is written, of some by the ending of a file's name: that which was asked for or, when that is "", the
// one that the name says; the first for names without an ending.
func formatOf(asked, file string, formats [][2]string) (string, error) {
	ending := filepath.Ext(file)
	var names, endings []string
	for _, f := range formats {
		if asked == f[1] || asked == "" && ending == f[0] {
			return f[1], nil
		}
		names, endings = append(names, f[1]), append(endings, f[0])
	}
	switch {
	case asked != "":
		return "", fmt.Errorf("--format %q is not available; accepted are %s", asked, strings.Join(names, ", "))
	case len(ending) > 1:
		return "", fmt.Errorf("the ending of %s says no format; accepted are %s, or --format with one of %s", file,
			strings.Join(endings, ", "), strings.Join(names, ", "))
	}
	return formats[0][1], nil
}
