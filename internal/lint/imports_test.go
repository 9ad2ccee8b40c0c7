package lint

import (
	"fmt"
	"strconv"
	"strings"
	"testing"
)

// imports says what the packages of the core may import: packages of this module, and where strict
// is set, which of other modules. The first line that matches a package counts. Others may import
// everything but commands.
var imports = []struct {
	pkg     string
	module  []string
	strict  bool
	foreign []string
}{
	{pkg: "choose", strict: true, foreign: []string{"github.com/cespare/xxhash/v2"}},
	{pkg: "macetime", strict: true},
	{pkg: "sim/plan", module: []string{"macetime"}, strict: true, foreign: []string{"github.com/cespare/xxhash/v2"}},
	{pkg: "fair", strict: true},
	{pkg: "explore/spill", strict: true},
	{pkg: "explore", module: []string{"explore/spill", "sim/plan"}, strict: true, foreign: []string{"golang.org/x/sys/unix"}},
	{pkg: "explore/statelog", module: []string{"explore"}, strict: true},
	{pkg: "sim/table", module: []string{"choose", "explore", "fair", "macetime", "sim", "sim/host", "sim/internal/seam", "sim/kernel", "sim/plan"}},
	{pkg: "sim/kernel", module: []string{"choose", "macetime", "sim", "sim/host", "sim/internal/seam", "sim/plan"}, strict: true},
	{pkg: "sim/host", module: []string{"sim"}, strict: true},
	{pkg: "sim/internal/seam", module: []string{"sim/plan"}, strict: true},
	{pkg: "sim", module: []string{"macetime", "sim/internal/seam", "sim/plan"}, strict: true},
	{pkg: "netsim", module: []string{"choose", "macetime", "sim", "sim/host", "sim/plan"}, strict: true},
	{pkg: "simtest", module: []string{"choose", "macetime", "sim", "sim/kernel", "sim/plan"}},
	{pkg: "linear", strict: true, foreign: []string{"github.com/anishathalye/porcupine"}},
	{pkg: "systems/etcdraft", module: []string{"linear", "sim", "netsim", "macetime", "systems/spec"}, strict: true,
		foreign: []string{"go.etcd.io/raft/v3/...", "google.golang.org/protobuf/proto"}},
	{pkg: "systems/...", module: []string{"machine", "sim", "netsim", "macetime", "systems/..."}, strict: true},
	{pkg: "machine", module: []string{"sim", "sim/host", "sim/plan", "netsim", "macetime"}, strict: true},
	{pkg: "bubble", module: []string{"sim", "sim/host", "sim/plan"}, strict: true, foreign: []string{"github.com/cespare/xxhash/v2"}},
	{pkg: "internal/overlay", strict: true},
	{pkg: "observe", module: []string{"choose", "replay", "sim", "sim/kernel", "sim/plan"}, strict: true},
	{pkg: "refine", module: []string{"choose", "machine", "sim", "sim/table"}, strict: true},
	{pkg: "replay", module: []string{"choose", "sim", "sim/host", "sim/kernel", "sim/plan"}},
	{pkg: "search", module: []string{"choose", "explore", "macetime", "sim", "sim/kernel", "sim/table", "replay"}},
	{pkg: "mdb", module: []string{"internal/newfile", "internal/words", "choose", "sim", "sim/host", "sim/kernel", "sim/plan", "replay", "search", "critical", "eventgraph", "systems/spec"}},
	{pkg: "live/wire", module: []string{"macetime"}, strict: true},
	{pkg: "live/recording", module: []string{"choose", "sim", "sim/host", "sim/kernel", "replay", "live/wire"}},
	{pkg: "live", module: []string{"choose", "macetime", "sim", "sim/host", "sim/kernel", "live/wire", "live/recording"}},
	{pkg: "internal/newfile", strict: true},
	{pkg: "internal/words", strict: true},
	{pkg: "critical", module: []string{"internal/words", "choose", "macetime", "sim", "sim/kernel", "replay", "search", "sim/table"}},
	{pkg: "stats", module: []string{"internal/words", "choose", "sim", "sim/kernel", "search"}},
	// What mctest imports becomes part of every test that uses it: no bundled system.
	{pkg: "check/flight", module: []string{"choose"}},
	{pkg: "check", module: []string{"internal/newfile", "internal/version", "check/flight", "choose", "critical", "internal/scratch", "refine", "replay", "report", "search", "shrink", "sim", "sim/host", "sim/kernel", "systems/spec", "live/recording", "live/wire"}},
	{pkg: "internal/durable", module: []string{"explore", "explore/statelog", "internal/scratch", "sim"}, strict: true},
	{pkg: "internal/task", module: []string{"internal/durable", "internal/version", "internal/words", "check", "choose", "critical", "eventgraph", "mdb", "observe", "refine", "report", "search", "sim", "sim/host", "sim/kernel", "stats", "systems/spec", "live/recording", "replay"},
		strict: true},
	{pkg: "cmd/macemc/internal/screen", module: []string{"mdb"}},
	{pkg: "cmd/macemc/internal/cli", module: []string{"internal/newfile", "cmd/macemc/internal/screen", "cmd/macemc/internal/cluster", "internal/task", "internal/version", "internal/words", "check", "choose", "critical", "eventgraph", "internal/scratch", "mdb", "observe", "refine", "replay", "report", "search", "sim", "sim/kernel", "systems/spec", "live", "live/recording", "live/wire", "internal/overlay"}},
	{pkg: "mctest", module: []string{"internal/newfile", "check", "choose", "critical", "internal/task", "refine", "replay", "report", "search", "sim", "sim/host", "sim/kernel"}, strict: true},
	{pkg: "report", module: []string{"internal/words", "choose", "critical", "eventgraph", "macetime", "replay", "search", "sim", "sim/kernel", "sim/table"}},
	{pkg: "eventgraph", module: []string{"internal/words", "choose", "macetime", "replay", "sim", "sim/kernel"}},
	{pkg: "shrink", module: []string{"choose", "critical", "replay", "search", "sim", "sim/kernel"}},
}

// importDirection: imports point downward only.
func importDirection(_ *tree, p *pkg) (found []problem) {
	for _, f := range p.files {
		for _, spec := range f.Imports {
			name, err := strconv.Unquote(spec.Path.Value)
			if err != nil {
				continue
			}
			if why := refused(p.path, name); why != "" {
				found = append(found, problem{spec.Pos(), why})
			}
		}
	}
	return found
}

// refused tells why a package must not import another; "": it may.
func refused(from, name string) string {
	rel, inside := strings.CutPrefix(name, module+"/")
	if inside && below(rel, "cmd/...") && !below(from, "cmd/...") {
		return "nothing imports commands"
	}
	if inside && below(rel, "systems/etcdraft") && !below(from, "cmd/...") {
		return "a module of its own, which requires this one"
	}
	if inside && rel == "systems" && !below(from, "cmd/...") {
		return "only commands import the list of bundled systems, and with it what these depend on"
	}
	for _, r := range imports {
		if !below(from, r.pkg) {
			continue
		}
		switch first, _, _ := strings.Cut(name, "/"); {
		case inside:
			if !below(rel, r.module...) {
				return fmt.Sprintf("%s must not import %s; of this module it may import %v", from, rel, r.module)
			}
		case r.strict && strings.Contains(first, ".") && !below(name, r.foreign...):
			return fmt.Sprintf("%s must not import %s; of other modules it may import %v", from, name, r.foreign)
		}
		return ""
	}
	return ""
}

func TestImportDirection(t *testing.T) { enforce(t, importDirection) }

func TestImportDirectionNotices(t *testing.T) {
	const lib = "package x\n"
	snippet{
		"search": lib, "replay": lib, "choose": "package choose\nimport _ \"strings\"\n", "netsim": lib,
		"systems/a": lib, "cmd/tool": lib,
		"macetime":  "package x\nimport _ \"github.com/macemc/macemc/choose\" // want macetime must not import choose",
		"sim":       "package x\nimport _ \"github.com/macemc/macemc/macetime\"\nimport _ \"github.com/macemc/macemc/netsim\" // want sim must not import netsim",
		"systems/b": "package x\nimport _ \"github.com/macemc/macemc/systems/a\"\nimport _ \"github.com/macemc/macemc/search\" // want systems/b must not import search",
		"critical":  "package x\nimport _ \"github.com/macemc/macemc/search\"\nimport _ \"github.com/macemc/macemc/replay\"",
		"systems":   lib, "mctest": "package x\nimport _ \"github.com/macemc/macemc/systems\" // want only commands import the list",
		"report": "package x\nimport _ \"github.com/macemc/macemc/search\"\nimport _ \"github.com/macemc/macemc/cmd/tool\" // want nothing imports commands",
	}.test(t, importDirection)

	for _, c := range []struct {
		from, name string
		ok         bool
	}{
		{"choose", "github.com/cespare/xxhash/v2", true},
		{"choose", "pgregory.net/rapid", false},
		{"sim", "github.com/cespare/xxhash/v2", false},
		{"sim", module + "/sim/kernel", false},
		{"sim/plan", module + "/sim", false},
		{"replay", module + "/search", false},
		{"search", module + "/critical", false},
		{"systems/spec", module + "/sim/plan", false},
		{"systems/etcdraft", "go.etcd.io/raft/v3/raftpb", true},
		{"systems/paxos", "go.etcd.io/raft/v3", false},
		{"cmd/macemc", module + "/systems", true},
		{"cmd/macemc/internal/bundled", module + "/systems/etcdraft", true},
		{"systems", module + "/systems/etcdraft", false},
		{"mctest", module + "/systems", false},
		{"systemsx", module + "/search", true},
		{"cmd/macemc", module + "/search", true},
	} {
		if why := refused(c.from, c.name); (why == "") != c.ok {
			t.Errorf("%s imports %s: %q", c.from, c.name, why)
		}
	}
}
