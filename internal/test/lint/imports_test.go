package lint

import (
	"fmt"
	"strconv"
	"strings"
	"testing"
)

// tableBase is what every layer of the table engine may import.
var tableBase = []string{"choose", "internal/explore", "internal/explore/graph", "internal/explore/stateset", "internal/fair", "macetime", "sim", "internal/eventkind", "internal/netmodel", "internal/simext", "internal/simhook", "internal/kernel", "internal/kernel/...", "internal/encoding/..."}

// imports lists what the packages of the core may import: packages of this module and, if strict is set, of other
// modules. The first line that matches a package counts. Others may import everything but commands.
var imports = []struct {
	pkg     string
	module  []string
	strict  bool
	foreign []string
}{
	{pkg: "choose", strict: true, foreign: []string{"github.com/cespare/xxhash/v2"}},
	{pkg: "macetime", strict: true},
	{pkg: "internal/encoding/memory", strict: true},
	{pkg: "internal/encoding/typeinfo", strict: true},
	{pkg: "internal/encoding/rule", strict: true},
	{pkg: "internal/encoding/diff", strict: true},
	{pkg: "internal/encoding", module: []string{"internal/encoding/...", "macetime"}, strict: true, foreign: []string{"github.com/cespare/xxhash/v2"}},
	{pkg: "internal/fair", strict: true},
	{pkg: "internal/explore/spill", strict: true},
	// The layers of exploration, from the lowest to the highest.
	{pkg: "internal/explore/memory", module: []string{"internal/explore/spill"}, strict: true, foreign: []string{"golang.org/x/sys/unix"}},
	{pkg: "internal/explore/graph", module: []string{"internal/encoding/..."}, strict: true},
	{pkg: "internal/explore/predecessors", module: []string{"internal/explore/spill", "internal/explore/memory"}, strict: true},
	{pkg: "internal/explore/stateset", module: []string{"internal/explore/spill", "internal/explore/memory", "internal/explore/graph"}, strict: true},
	{pkg: "internal/explore", module: []string{"internal/explore/spill", "internal/explore/memory", "internal/explore/graph", "internal/explore/predecessors", "internal/explore/stateset"}, strict: true},
	{pkg: "internal/explore/statelog", module: []string{"internal/explore"}, strict: true},
	// The layers of the table engine, from the lowest to the highest.
	{pkg: "internal/table/options", module: append([]string{}, tableBase...)},
	{pkg: "internal/table/store", module: append([]string{"internal/table/options"}, tableBase...)},
	{pkg: "internal/table/steptree", module: append([]string{"internal/table/options", "internal/table/store"}, tableBase...)},
	{pkg: "internal/table/audit", module: append([]string{"internal/table/store", "internal/table/steptree"}, tableBase...)},
	{pkg: "internal/table/world", module: append([]string{"internal/table/options", "internal/table/store", "internal/table/steptree"}, tableBase...)},
	{pkg: "internal/table/statespace", module: append([]string{"internal/table/options", "internal/table/store", "internal/table/steptree", "internal/table/audit", "internal/table/world"}, tableBase...)},
	{pkg: "internal/table/fairness", module: append([]string{"internal/table/options", "internal/table/store", "internal/table/steptree", "internal/table/world", "internal/table/statespace"}, tableBase...)},
	{pkg: "internal/table/por", module: append([]string{"internal/table/options", "internal/table/store", "internal/table/steptree", "internal/table/world", "internal/table/statespace"}, tableBase...)},
	{pkg: "internal/table/symmetry", module: append([]string{"internal/table/options", "internal/table/store", "internal/table/steptree", "internal/table/world", "internal/table/statespace", "internal/table/por"}, tableBase...)},
	{pkg: "internal/table/crashes", module: append([]string{"internal/table/options", "internal/table/store", "internal/table/steptree", "internal/table/world", "internal/table/statespace", "internal/table/por"}, tableBase...)},
	{pkg: "internal/table/refinement", module: append([]string{"internal/table/options", "internal/table/store", "internal/table/steptree", "internal/table/world", "internal/table/statespace", "internal/table/fairness"}, tableBase...)},
	{pkg: "internal/table", module: append([]string{"internal/table/options", "internal/table/store", "internal/table/steptree", "internal/table/audit", "internal/table/world", "internal/table/statespace", "internal/table/fairness", "internal/table/por", "internal/table/symmetry", "internal/table/crashes"}, tableBase...)},
	{pkg: "internal/table/shard", module: append([]string{"internal/table", "internal/table/options", "internal/table/store", "internal/table/steptree", "internal/table/audit", "internal/table/world", "internal/table/statespace"}, tableBase...)},
	// The layers of the replay engine, from the lowest to the highest.
	{pkg: "internal/kernel/memdisk", module: []string{"sim", "internal/encoding/diff"}, strict: true},
	{pkg: "internal/kernel/aliasing", module: []string{"sim"}, strict: true},
	{pkg: "internal/kernel/delays", module: []string{"internal/encoding/diff", "sim"}, strict: true},
	{pkg: "internal/kernel/stepinfo", module: []string{"choose", "sim", "internal/eventkind", "internal/netmodel"}, strict: true},
	{pkg: "internal/kernel/callsite", module: []string{"sim", "internal/simext"}, strict: true},
	{pkg: "internal/kernel/contain", module: []string{"internal/encoding", "internal/encoding/rule", "internal/stacks", "sim"}, strict: true},
	{pkg: "internal/kernel/declared", module: []string{"sim", "internal/eventkind", "internal/netmodel", "internal/simext", "internal/simhook", "internal/encoding/..."}, strict: true},
	{pkg: "internal/kernel/properties", module: []string{"internal/kernel/contain", "sim", "internal/eventkind", "internal/netmodel", "internal/simext", "internal/simhook"}, strict: true},
	{pkg: "internal/kernel", module: []string{"internal/kernel/memdisk", "internal/kernel/delays", "internal/kernel/aliasing", "internal/kernel/stepinfo", "internal/kernel/callsite", "internal/kernel/contain", "internal/kernel/declared", "internal/kernel/properties", "internal/stacks", "choose", "macetime", "sim", "internal/eventkind", "internal/netmodel", "internal/simext", "internal/simhook", "internal/encoding/..."}, strict: true},
	{pkg: "internal/kernel/...", module: []string{"internal/kernel", "internal/kernel/...", "internal/stacks", "choose", "macetime", "sim", "internal/eventkind", "internal/netmodel", "internal/simext", "internal/simhook", "internal/encoding/..."}, strict: true},
	{pkg: "internal/simext", module: []string{"sim"}, strict: true},
	{pkg: "internal/eventkind", strict: true},
	{pkg: "internal/netmodel", module: []string{"sim", "internal/eventkind", "internal/encoding/..."}, strict: true},
	{pkg: "internal/simhook", module: []string{"internal/encoding/..."}, strict: true},
	{pkg: "sim", module: []string{"macetime", "internal/eventkind", "internal/simhook", "internal/encoding/..."}, strict: true},
	{pkg: "netsim", module: []string{"choose", "macetime", "sim", "internal/eventkind", "internal/netmodel", "internal/simext", "internal/encoding/..."}, strict: true},
	{pkg: "simtest", module: []string{"choose", "macetime", "sim", "internal/eventkind", "internal/netmodel", "internal/kernel", "internal/kernel/...", "internal/encoding/..."}},
	{pkg: "linear", strict: true, foreign: []string{"github.com/anishathalye/porcupine"}},
	{pkg: "systems/etcdraft", module: []string{"linear", "sim", "netsim", "macetime", "systems/spec"}, strict: true,
		foreign: []string{"go.etcd.io/raft/v3/...", "google.golang.org/protobuf/proto"}},
	{pkg: "systems/spec", module: []string{"sim", "netsim", "internal/textfmt"}, strict: true},
	{pkg: "systems/...", module: []string{"machine", "sim", "netsim", "macetime", "systems/..."}, strict: true},
	{pkg: "internal/test/papers/...", module: []string{"machine", "sim", "netsim", "macetime", "systems/...", "systems", "internal/test/papers/..."}, strict: true},
	{pkg: "bubble/internal/filetree", strict: true},
	{pkg: "bubble/internal/logstore", strict: true},
	{pkg: "bubble/internal/payload", strict: true},
	{pkg: "bubble/internal/pkgvars", strict: true},
	{pkg: "bubble/internal/userframes", module: []string{"internal/simext", "internal/stacks", "internal/testsched/program"}, strict: true},
	{pkg: "bubble/internal/waitqueue", strict: true},
	{pkg: "machine", module: []string{"sim", "internal/eventkind", "internal/netmodel", "internal/simext", "internal/encoding/...", "netsim", "macetime"}, strict: true},
	{pkg: "bubble", module: []string{"bubble/internal/filetree", "bubble/internal/payload", "bubble/internal/pkgvars", "bubble/internal/userframes", "bubble/internal/waitqueue", "internal/stacks", "sim", "internal/simext", "internal/encoding/...", "internal/testsched", "internal/testsched/program"}, strict: true, foreign: []string{"github.com/cespare/xxhash/v2"}},
	{pkg: "internal/testsched/program", strict: true},
	{pkg: "internal/testsched", module: []string{"internal/testsched/program"}, strict: true},
	{pkg: "internal/overlay", module: []string{"internal/testsched"}, strict: true},
	{pkg: "observe", module: []string{"choose", "internal/replay", "sim", "internal/kernel", "internal/kernel/...", "internal/encoding/..."}, strict: true},
	{pkg: "internal/refine", module: []string{"choose", "machine", "sim", "internal/eventkind", "internal/netmodel", "internal/table/..."}, strict: true},
	{pkg: "internal/pathfile", module: []string{"choose"}, strict: true},
	{pkg: "internal/replay", module: []string{"internal/pathfile", "internal/textfmt", "choose", "sim", "internal/eventkind", "internal/netmodel", "internal/simext", "internal/kernel", "internal/kernel/...", "internal/encoding/..."}},
	{pkg: "internal/search/meter", strict: true},
	{pkg: "internal/search/fpset", module: []string{"internal/encoding", "sim", "internal/eventkind", "internal/netmodel"}, strict: true},
	{pkg: "internal/search/coverage", module: []string{"internal/kernel", "internal/kernel/...", "sim", "internal/eventkind", "internal/netmodel"}, strict: true},
	{pkg: "internal/search/schedules", module: []string{"internal/kernel", "internal/kernel/...", "choose", "sim", "internal/eventkind", "internal/netmodel"}, strict: true},
	{pkg: "internal/search/verify", module: []string{"internal/encoding/...", "internal/kernel", "internal/kernel/...", "internal/replay", "choose", "sim", "internal/eventkind", "internal/netmodel"}, strict: true},
	{pkg: "internal/search/runloop", module: []string{"internal/encoding", "internal/search/coverage", "internal/search/meter", "internal/search/verify", "internal/budget", "internal/stacks", "internal/simext", "internal/kernel", "internal/kernel/...", "internal/replay", "internal/table/...", "choose", "sim", "internal/eventkind", "internal/netmodel"}, strict: true},
	{pkg: "internal/search/strategy", strict: true},
	{pkg: "internal/search/stats", module: []string{"internal/search/verify", "internal/explore", "internal/search/meter", "internal/search/runloop", "internal/table", "internal/table/...", "sim", "internal/eventkind", "internal/netmodel"}, strict: true},
	{pkg: "internal/search/runs", module: []string{"internal/encoding", "internal/search/fpset", "internal/search/runloop", "internal/search/schedules", "internal/kernel", "internal/kernel/...", "internal/replay", "choose", "sim", "internal/eventkind", "internal/netmodel"}, strict: true},
	{pkg: "search", module: []string{"internal/encoding", "internal/search/...", "internal/stacks", "internal/simext", "internal/budget", "choose", "internal/explore", "internal/explore/stateset", "macetime", "sim", "internal/eventkind", "internal/netmodel", "internal/kernel", "internal/kernel/...", "internal/table", "internal/table/...", "internal/replay"}},
	{pkg: "internal/history", module: []string{"choose", "eventgraph", "internal/encoding/...", "internal/kernel/...", "internal/replay", "internal/textfmt", "sim", "internal/eventkind", "internal/netmodel"}},
	{pkg: "mdb/internal/cmdline", strict: true},
	{pkg: "mdb", module: []string{"internal/pathfile", "internal/search/runloop", "internal/search/runs", "internal/history", "mdb/internal/...", "internal/outfile", "internal/textfmt", "choose", "sim", "internal/eventkind", "internal/netmodel", "internal/simext", "internal/kernel", "internal/kernel/...", "internal/encoding/...", "internal/replay", "search", "critical", "eventgraph"}},
	{pkg: "internal/wire", module: []string{"macetime"}, strict: true},
	{pkg: "internal/recording", module: []string{"internal/encoding", "internal/pathfile", "internal/encoding/rule", "choose", "sim", "internal/eventkind", "internal/netmodel", "internal/simext", "internal/kernel", "internal/kernel/...", "internal/replay", "internal/wire"}},
	{pkg: "realnet", module: []string{"choose", "macetime", "sim", "internal/eventkind", "internal/netmodel", "internal/simext", "internal/kernel", "internal/kernel/...", "internal/wire", "internal/recording"}},
	{pkg: "internal/outfile", strict: true},
	{pkg: "internal/format", strict: true},
	{pkg: "internal/budget", strict: true},
	{pkg: "internal/stacks", module: []string{"internal/testsched/program"}, strict: true},
	{pkg: "internal/textfmt", strict: true},
	{pkg: "critical", module: []string{"internal/encoding", "internal/explore", "internal/search/runloop", "internal/search/runs", "internal/budget", "internal/textfmt", "choose", "macetime", "sim", "internal/eventkind", "internal/netmodel", "internal/kernel", "internal/kernel/...", "internal/replay", "search", "internal/table", "internal/table/..."}},
	// Packages that mctest imports become part of every test that uses it: no bundled system.
	{pkg: "internal/check/flight", module: []string{"choose"}},
	{pkg: "internal/check/exitcode", module: []string{"internal/check/defect", "internal/check/flight", "search"}},
	{pkg: "internal/check/walkweights", module: []string{"internal/textfmt", "search", "sim", "internal/eventkind", "internal/netmodel", "systems/spec"}},
	{pkg: "internal/check/defect", module: []string{"internal/stacks"}},
	{pkg: "internal/check/isolate", module: []string{"internal/encoding", "internal/pathfile", "internal/search/strategy", "internal/table/options", "choose", "internal/budget", "internal/check/defect", "internal/check/exitcode", "internal/check/flight", "internal/kernel", "internal/kernel/...", "internal/replay", "internal/report", "internal/scratch", "internal/shrink", "internal/simext", "internal/stacks", "search", "sim", "internal/eventkind", "internal/netmodel"}},
	{pkg: "internal/check", module: []string{"internal/pathfile", "internal/table/options", "internal/search/...", "internal/stacks", "internal/budget", "internal/outfile", "internal/textfmt", "internal/version", "internal/check/...", "choose", "critical", "internal/scratch", "internal/refine", "internal/replay", "internal/report/...", "search", "internal/shrink", "sim", "internal/eventkind", "internal/netmodel", "internal/simext", "internal/kernel", "internal/kernel/...", "systems/spec", "internal/recording", "internal/wire"}},
	{pkg: "internal/durable", module: []string{"internal/explore", "internal/explore/spill", "internal/explore/statelog", "internal/scratch", "sim", "internal/eventkind", "internal/netmodel"}, strict: true},
	{pkg: "internal/task/remote", module: []string{"mdb"}},
	{pkg: "internal/task", module: []string{"internal/task/remote", "internal/outfile", "internal/explore/stateset", "internal/search/...", "internal/table", "internal/table/options", "internal/budget", "internal/durable", "internal/version", "internal/textfmt", "internal/check/...", "choose", "critical", "eventgraph", "mdb", "observe", "internal/refine", "internal/report/...", "search", "sim", "internal/eventkind", "internal/netmodel", "internal/simext", "internal/kernel", "internal/kernel/...", "systems/spec", "internal/recording", "internal/replay"},
		strict: true, foreign: []string{"golang.org/x/sys/unix"}},
	{pkg: "cmd/macemc/internal/screen", module: []string{"mdb"}},
	{pkg: "cmd/macemc/internal/dap", module: []string{"mdb"}},
	{pkg: "internal/web", module: []string{"mdb", "eventgraph"}, strict: true},
	{pkg: "cmd/macemc/internal/procgroup"},
	{pkg: "cmd/macemc/internal/live", module: []string{"internal/encoding/diff", "cmd/macemc/internal/procgroup", "internal/task", "internal/textfmt", "internal/check/...", "choose", "internal/replay", "observe", "realnet", "search", "sim", "internal/eventkind", "internal/netmodel", "internal/kernel", "internal/kernel/...", "systems/spec", "internal/recording", "internal/wire"}},
	{pkg: "cmd/macemc/internal/gotest", module: []string{"internal/history", "cmd/macemc/internal/procgroup", "internal/task", "internal/textfmt", "internal/check/...", "eventgraph", "mdb", "internal/replay", "internal/report/document", "internal/report/render", "search", "sim", "internal/eventkind", "internal/netmodel", "internal/overlay", "internal/testsched", "internal/testsched/program"}},
	{pkg: "cmd/macemc/internal/cli", module: []string{"internal/pathfile", "internal/explore/stateset", "internal/search/schedules", "internal/search/strategy", "internal/outfile", "cmd/macemc/internal/dap", "cmd/macemc/internal/gotest", "cmd/macemc/internal/live", "cmd/macemc/internal/screen", "internal/task", "internal/version", "internal/textfmt", "internal/check/...", "choose", "critical", "eventgraph", "internal/scaffold", "internal/scratch", "internal/web", "mdb", "observe", "internal/refine", "internal/replay", "internal/report/...", "search", "sim", "internal/eventkind", "internal/netmodel", "internal/kernel", "internal/kernel/...", "systems/spec", "internal/recording", "internal/overlay", "internal/testsched", "internal/testsched/program"}},
	{pkg: "mctest", module: []string{"internal/pathfile", "internal/search/...", "internal/outfile", "internal/textfmt", "internal/check/...", "choose", "critical", "internal/task", "internal/refine", "internal/replay", "internal/report/...", "search", "sim", "internal/eventkind", "internal/netmodel", "internal/simext", "internal/kernel", "internal/kernel/..."}, strict: true},
	{pkg: "internal/report", module: []string{"internal/search/stats", "choose", "critical", "eventgraph", "internal/replay", "search", "sim", "internal/eventkind", "internal/netmodel", "internal/table/fairness"}},
	{pkg: "internal/report/document", module: []string{"internal/budget", "internal/explore/stateset", "internal/search/...", "internal/table/options", "internal/report", "internal/simext", "internal/stacks", "internal/textfmt", "choose", "critical", "eventgraph", "internal/replay", "search", "sim", "internal/eventkind", "internal/netmodel", "internal/kernel", "internal/kernel/...", "internal/table/fairness"}},
	{pkg: "internal/report/render", module: []string{"internal/report", "internal/report/document", "internal/format", "internal/textfmt", "critical", "eventgraph", "internal/replay", "search", "sim", "internal/eventkind", "internal/netmodel"}},
	{pkg: "eventgraph", module: []string{"internal/simhook", "internal/format", "internal/textfmt", "choose", "macetime", "internal/replay", "sim", "internal/eventkind", "internal/netmodel", "internal/kernel", "internal/kernel/..."}},
	{pkg: "internal/shrink", module: []string{"internal/pathfile", "internal/encoding", "internal/search/...", "internal/stacks", "internal/budget", "choose", "critical", "internal/replay", "search", "sim", "internal/eventkind", "internal/netmodel", "internal/kernel", "internal/kernel/..."}},
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

// refused returns why a package must not import another one, or "".
func refused(from, name string) string {
	rel, inside := strings.CutPrefix(name, module+"/")
	if inside && below(rel, "cmd/...") && !below(from, "cmd/...", "evaluation/...") {
		return "nothing imports commands"
	}
	if inside && below(rel, "systems/etcdraft") && !below(from, "cmd/...") {
		return "a module of its own, which requires this one"
	}
	if inside && rel == "systems" && !below(from, "cmd/...", "internal/test/papers") {
		return "only commands and tests import the list of bundled systems, and with it what these depend on"
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
		"search": lib, "internal/replay": lib, "choose": "package choose\nimport _ \"strings\"\n", "netsim": lib,
		"systems/a": lib, "cmd/tool": lib,
		"macetime":  "package x\nimport _ \"github.com/macemc/macemc/choose\" // want macetime must not import choose",
		"sim":       "package x\nimport _ \"github.com/macemc/macemc/macetime\"\nimport _ \"github.com/macemc/macemc/netsim\" // want sim must not import netsim",
		"systems/b": "package x\nimport _ \"github.com/macemc/macemc/systems/a\"\nimport _ \"github.com/macemc/macemc/search\" // want systems/b must not import search",
		"critical":  "package x\nimport _ \"github.com/macemc/macemc/search\"\nimport _ \"github.com/macemc/macemc/internal/replay\"",
		"systems":   lib, "mctest": "package x\nimport _ \"github.com/macemc/macemc/systems\" // want only commands and tests import the list",
		"internal/report": "package x\nimport _ \"github.com/macemc/macemc/search\"\nimport _ \"github.com/macemc/macemc/cmd/tool\" // want nothing imports commands",
	}.test(t, importDirection)

	for _, c := range []struct {
		from, name string
		ok         bool
	}{
		{"choose", "github.com/cespare/xxhash/v2", true},
		{"choose", "pgregory.net/rapid", false},
		{"sim", "github.com/cespare/xxhash/v2", false},
		{"sim", module + "/internal/kernel", false},
		{"internal/encoding", module + "/sim", false},
		{"internal/replay", module + "/search", false},
		{"search", module + "/critical", false},
		{"systems/spec", module + "/internal/encoding", false},
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
