package overlay

import (
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// packageFiles returns files for packages runtime and program with functions that report whether the distribution has a package. The path
// of a module may begin like that of such a package, or have no dot. more are the other added files, by their path below src.
func packageFiles(root string, more map[string]string) (map[string]string, error) {
	found := map[string]bool{}
	for name := range more {
		found[path.Dir(name)] = true
	}
	src := filepath.Join(root, "src")
	err := fs.WalkDir(os.DirFS(src), ".", func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (name == "cmd" || d.Name() == "testdata"):
			return fs.SkipDir
		case strings.HasSuffix(name, ".go"):
			found[path.Dir(name)] = true
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	delete(found, ".")
	var paths strings.Builder
	for i, p := range slices.Sorted(maps.Keys(found)) {
		if i > 0 {
			paths.WriteString(",\n\t\t")
		}
		fmt.Fprintf(&paths, "%q", p)
	}
	return map[string]string{
		"runtime/zz_macemc_packages.go":        fmt.Sprintf(ofRuntime, paths.String()),
		programPath + "/zz_macemc_packages.go": ofProgram,
	}, nil
}

const ofRuntime = `package runtime

import _ "unsafe"

// macemcDistribution reports whether the distribution has a package.
//
//go:linkname macemcDistribution
func macemcDistribution(pkg string) bool {
	switch pkg {
	case %s:
		return true
	}
	return false
}
`

const ofProgram = `package program

import _ "unsafe"

//go:linkname ofDistribution runtime.macemcDistribution
func ofDistribution(pkg string) bool

func init() { distribution = ofDistribution }
`
