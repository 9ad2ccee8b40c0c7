package version

import (
	"runtime/debug"
	"testing"
)

func TestOf(t *testing.T) {
	setting := func(k, v string) debug.BuildSetting { return debug.BuildSetting{Key: k, Value: v} }
	for _, c := range []struct {
		name  string
		build debug.BuildInfo
		want  string
	}{
		{"installed", debug.BuildInfo{GoVersion: "go1.26.8", Main: debug.Module{Path: module + "/cmd/macemc", Version: "v0.3.1"},
			Deps: []*debug.Module{{Path: module, Version: "v0.3.0"}}}, "v0.3.1, go1.26.8"},
		{"checkout", debug.BuildInfo{GoVersion: "go1.26.8", Main: debug.Module{Path: module + "/cmd/macemc"},
			Settings: []debug.BuildSetting{setting("vcs.revision", "0123456789abcdef"), setting("vcs.modified", "true")}},
			"(devel), commit 0123456789ab with changes, go1.26.8"},
		{"library", debug.BuildInfo{GoVersion: "go1.26.8", Main: debug.Module{Path: "example.org/mysvc"},
			Deps: []*debug.Module{{Path: "example.org/other", Version: "v9.0.0"}, {Path: module, Version: "v0.3.1"}}}, "v0.3.1, go1.26.8"},
		{"replaced", debug.BuildInfo{GoVersion: "go1.26.8", Deps: []*debug.Module{{Path: module, Version: "v0.0.0", Replace: &debug.Module{}}}},
			"v0.0.0 replaced, go1.26.8"},
	} {
		if got := Of(&c.build).String(); got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
}
