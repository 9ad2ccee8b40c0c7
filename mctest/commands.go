package mctest

import (
	"cmp"
	"os"
	"path/filepath"
)

// fromUser returns the path of a folder of the package, and the argument for the package, from the folder of the user's command if that is
// known, or else from the package's folder.
func fromUser(dir string) (path, pkg string) {
	folder := cmp.Or(userFolder(), os.Getenv(folderVar))
	here, err := os.Getwd()
	if err != nil || folder == "" {
		return dir, "."
	}
	rel, err := filepath.Rel(folder, here)
	switch {
	case err != nil || rel == ".":
		return dir, "."
	case !filepath.IsAbs(dir):
		dir = filepath.Join(rel, dir)
	}
	return dir, "." + string(filepath.Separator) + rel
}

// tester returns the command that runs this test.
func (c *checking) tester() string {
	if c.takesTurns() {
		return "macemc test"
	}
	return "go test"
}
