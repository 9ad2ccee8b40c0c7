// Package version identifies the running macemc.
package version

import (
	"runtime/debug"
	"strings"
)

const module = "github.com/macemc/macemc"

// Info identifies the program, or the library in a test. Unknown fields are empty.
type Info struct {
	// Version is that of the module. It is "(devel)" in builds from a checkout, and in tests, whose binaries do not name it.
	Version string `json:"version"`
	Commit  string `json:"commit,omitempty"`
	Changed bool   `json:"changed,omitempty"` // the checkout had changes that were not committed
	Go      string `json:"go"`
}

// Of reads what the toolchain wrote into a binary.
func Of(b *debug.BuildInfo) Info {
	i := Info{Version: "(devel)", Go: b.GoVersion}
	own := b.Main.Path == module || strings.HasPrefix(b.Main.Path, module+"/") // all are tagged with one version
	if own {
		i.Version = b.Main.Version
		for _, s := range b.Settings {
			switch s.Key {
			case "vcs.revision":
				i.Commit = s.Value
			case "vcs.modified":
				i.Changed = s.Value == "true"
			}
		}
	}
	for _, d := range b.Deps {
		if d.Path == module && !own {
			if i.Version = d.Version; d.Replace != nil {
				i.Version += " replaced"
			}
		}
	}
	if i.Version == "" {
		i.Version = "(devel)"
	}
	return i
}

// Current describes this process.
func Current() Info {
	b, ok := debug.ReadBuildInfo()
	if !ok {
		return Info{Version: "(devel)"}
	}
	return Of(b)
}

// String is one line: "v0.3.1, commit 1f2e3d4c5b6a, go1.26.8".
func (i Info) String() string {
	parts := []string{i.Version}
	if i.Commit != "" {
		commit := "commit " + i.Commit[:min(12, len(i.Commit))]
		if i.Changed {
			commit += " with changes"
		}
		parts = append(parts, commit)
	}
	if i.Go != "" {
		parts = append(parts, i.Go)
	}
	return strings.Join(parts, ", ")
}
