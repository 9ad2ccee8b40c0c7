package lint

import (
	"fmt"
	"strconv"
	"strings"
	"testing"
)

// tableBase is what every layer of the table engine may import.
const tableBase = `
	choose internal/explore internal/explore/graph internal/explore/stateset internal/fair macetime sim
	internal/eventkind internal/netmodel internal/simext internal/simhook internal/kernel internal/kernel/...
	internal/encoding/... `

// imports lists what the packages of the core may import: packages of this module and, if strict is set, of other
// modules. The first line that matches a package counts. Others may import everything but commands.
var imports = []struct {
	pkg     string
	module  string
	strict  bool
	foreign string
}{
	{pkg: "choose", strict: true, foreign: "github.com/cespare/xxhash/v2"},
	{pkg: "macetime", strict: true},
	{pkg: "internal/encoding/memory", strict: true},
	{pkg: "internal/encoding/typeinfo", strict: true},
	{pkg: "internal/encoding/rule", strict: true},
	{pkg: "internal/encoding/diff", strict: true},
	{pkg: "internal/encoding", strict: true, foreign: "github.com/cespare/xxhash/v2", module: "internal/encoding/... macetime"},
	{pkg: "internal/fair", strict: true},
	{pkg: "internal/explore/spill", strict: true},
	// The layers of exploration, from the lowest to the highest.
	{pkg: "internal/explore/memory", strict: true, foreign: "golang.org/x/sys/unix", module: "internal/explore/spill"},
	{pkg: "internal/explore/graph", strict: true, module: "internal/encoding/..."},
	{pkg: "internal/explore/predecessors", strict: true, module: "internal/explore/spill internal/explore/memory"},
	{pkg: "internal/explore/stateset", strict: true, module: "internal/explore/spill internal/explore/memory internal/explore/graph"},
	{pkg: "internal/explore", strict: true, module: `
		internal/explore/spill internal/explore/memory internal/explore/graph internal/explore/predecessors
		internal/explore/stateset`},
	{pkg: "internal/explore/statelog", strict: true, module: "internal/explore internal/infile"},
	// The layers of the table engine, from the lowest to the highest.
	{pkg: "internal/table/options", module: tableBase},
	{pkg: "internal/table/store", module: tableBase + " internal/table/options"},
	{pkg: "internal/table/steptree", module: tableBase + " internal/table/options internal/table/store"},
	{pkg: "internal/table/audit", module: tableBase + " internal/table/store internal/table/steptree"},
	{pkg: "internal/table/world", module: tableBase + " internal/table/options internal/table/store internal/table/steptree"},
	{pkg: "internal/table/statespace", module: tableBase + `
		internal/table/options internal/table/store internal/table/steptree internal/table/audit internal/table/world`},
	{pkg: "internal/table/fairness", module: tableBase + `
		internal/table/options internal/table/store internal/table/steptree internal/table/world
		internal/table/statespace`},
	{pkg: "internal/table/por", module: tableBase + `
		internal/table/options internal/table/store internal/table/steptree internal/table/world
		internal/table/statespace`},
	{pkg: "internal/table/symmetry", module: tableBase + `
		internal/table/options internal/table/store internal/table/steptree internal/table/world
		internal/table/statespace internal/table/por`},
	{pkg: "internal/table/crashes", module: tableBase + `
		internal/table/options internal/table/store internal/table/steptree internal/table/world
		internal/table/statespace internal/table/por`},
	{pkg: "internal/table/refinement", module: tableBase + `
		internal/table/options internal/table/store internal/table/steptree internal/table/world
		internal/table/statespace internal/table/fairness`},
	{pkg: "internal/table", module: tableBase + `
		internal/table/options internal/table/store internal/table/steptree internal/table/audit internal/table/world
		internal/table/statespace internal/table/fairness internal/table/por internal/table/symmetry
		internal/table/crashes`},
	{pkg: "internal/table/shard", module: tableBase + `
		internal/table internal/table/options internal/table/store internal/table/steptree internal/table/audit
		internal/table/world internal/table/statespace`},
	// The layers of the replay engine, from the lowest to the highest.
	{pkg: "internal/kernel/memdisk", strict: true, module: "sim internal/encoding/diff"},
	{pkg: "internal/kernel/aliasing", strict: true, module: "sim"},
	{pkg: "internal/kernel/delays", strict: true, module: "internal/encoding/diff sim"},
	{pkg: "internal/kernel/stepinfo", strict: true, module: "choose sim internal/eventkind internal/netmodel"},
	{pkg: "internal/kernel/callsite", strict: true, module: "sim internal/simext"},
	{pkg: "internal/kernel/contain", strict: true, module: "internal/encoding internal/encoding/rule internal/stacks sim"},
	{pkg: "internal/kernel/declared", strict: true, module: `
		sim internal/eventkind internal/netmodel internal/simext internal/simhook internal/encoding/...`},
	{pkg: "internal/kernel/properties", strict: true, module: `
		internal/kernel/contain sim internal/eventkind internal/netmodel internal/simext internal/simhook`},
	{pkg: "internal/kernel", strict: true, module: `
		internal/kernel/memdisk internal/kernel/delays internal/kernel/aliasing internal/kernel/stepinfo
		internal/kernel/callsite internal/kernel/contain internal/kernel/declared internal/kernel/properties
		internal/stacks choose macetime sim internal/eventkind internal/netmodel internal/simext internal/simhook
		internal/encoding/...`},
	{pkg: "internal/kernel/...", strict: true, module: `
		internal/kernel internal/kernel/... internal/stacks choose macetime sim internal/eventkind internal/netmodel
		internal/simext internal/simhook internal/encoding/...`},
	{pkg: "internal/simext", strict: true, module: "sim"},
	{pkg: "internal/eventkind", strict: true},
	{pkg: "internal/netmodel", strict: true, module: "sim internal/eventkind internal/encoding/..."},
	{pkg: "internal/simhook", strict: true, module: "internal/encoding/..."},
	{pkg: "sim", strict: true, module: "macetime internal/eventkind internal/simhook internal/encoding/..."},
	{pkg: "netsim", strict: true, module: `
		choose macetime sim internal/eventkind internal/netmodel internal/simext internal/encoding/...`},
	{pkg: "simtest", module: `
		choose macetime sim internal/eventkind internal/netmodel internal/kernel internal/kernel/...
		internal/encoding/...`},
	{pkg: "linear", strict: true, foreign: "github.com/anishathalye/porcupine"},
	{pkg: "systems/etcdraft", strict: true, foreign: "go.etcd.io/raft/v3/... google.golang.org/protobuf/proto", module: `
		linear sim netsim macetime systems/spec`},
	{pkg: "systems/spec", strict: true, module: "sim netsim internal/textfmt"},
	{pkg: "systems/...", strict: true, module: "machine sim netsim macetime systems/..."},
	{pkg: "internal/test/papers/...", strict: true, module: "machine sim netsim macetime systems/... systems internal/test/papers/..."},
	{pkg: "bubble/internal/filetree", strict: true},
	{pkg: "bubble/internal/filesystem", strict: true, module: "bubble/internal/filetree bubble/internal/waitqueue"},
	{pkg: "bubble/internal/payload", strict: true},
	{pkg: "bubble/internal/pkgvars", strict: true},
	{pkg: "bubble/internal/userframes", strict: true, module: "internal/simext internal/stacks internal/testsched/program"},
	{pkg: "bubble/internal/waitqueue", strict: true},
	{pkg: "machine", strict: true, module: `
		sim internal/eventkind internal/netmodel internal/simext internal/encoding/... netsim macetime`},
	{pkg: "bubble", strict: true, foreign: "github.com/cespare/xxhash/v2", module: `
		bubble/internal/filesystem bubble/internal/filetree bubble/internal/payload bubble/internal/pkgvars
		bubble/internal/userframes bubble/internal/waitqueue internal/stacks sim internal/simext internal/encoding/...
		internal/testsched internal/testsched/program`},
	{pkg: "internal/testsched/program", strict: true},
	{pkg: "internal/predict", strict: true},
	{pkg: "internal/testsched", strict: true, module: "internal/predict internal/testsched/program"},
	{pkg: "internal/cpuprofile", strict: true},
	{pkg: "internal/testflags", strict: true, module: "internal/testsched/program"},
	{pkg: "internal/testbudget", strict: true, module: "internal/outfile internal/testflags"},
	{pkg: "internal/child", strict: true},
	{pkg: "internal/agents", module: "internal/child internal/stacks internal/testflags internal/testsched internal/testsched/program"},
	{pkg: "internal/ginkgo", strict: true, module: "internal/testsched/program"},
	{pkg: "internal/explorer/schedulefile", strict: true, module: "internal/outfile internal/testflags internal/testsched internal/testsched/program"},
	{pkg: "internal/explorer/minimize", module: `internal/agents internal/explorer/schedulefile internal/predict internal/testsched
		internal/testsched/program`},
	{pkg: "internal/explorer/systematic", strict: true, module: "internal/testsched internal/testsched/program"},
	{pkg: "internal/explorer/sampling", strict: true, module: "internal/predict internal/testsched"},
	{pkg: "internal/explorer/summary", strict: true, module: "internal/predict internal/testsched internal/testsched/program"},
	{pkg: "internal/explorer", module: `internal/agents internal/child internal/cpuprofile internal/explorer/... internal/ginkgo internal/predict
		internal/testbudget internal/testflags internal/testsched internal/testsched/program`},
	{pkg: "internal/overlay", strict: true, module: "internal/child internal/predict internal/testsched internal/testsched/program"},
	{pkg: "observe", strict: true, module: "choose internal/replay sim internal/kernel internal/kernel/... internal/encoding/..."},
	{pkg: "internal/refine", strict: true, module: "choose machine sim internal/eventkind internal/netmodel internal/table/..."},
	{pkg: "internal/pathfile", strict: true, module: "choose internal/infile internal/testflags"},
	{pkg: "internal/replay", module: `
		internal/pathfile internal/textfmt internal/infile choose sim internal/eventkind internal/netmodel internal/simext
		internal/kernel internal/kernel/... internal/encoding/...`},
	{pkg: "internal/search/meter", strict: true},
	{pkg: "internal/search/fpset", strict: true, module: "internal/encoding sim internal/eventkind internal/netmodel"},
	{pkg: "internal/search/coverage", strict: true, module: `
		internal/kernel internal/kernel/... sim internal/eventkind internal/netmodel`},
	{pkg: "internal/search/schedules", strict: true, module: `
		internal/kernel internal/kernel/... choose sim internal/eventkind internal/netmodel`},
	{pkg: "internal/search/verify", strict: true, module: `
		internal/encoding/... internal/kernel internal/kernel/... internal/replay choose sim internal/eventkind
		internal/netmodel`},
	{pkg: "internal/search/runloop", strict: true, module: `
		internal/encoding internal/search/coverage internal/search/meter internal/search/verify internal/budget
		internal/stacks internal/simext internal/kernel internal/kernel/... internal/replay internal/table/... choose
		sim internal/eventkind internal/netmodel`},
	{pkg: "internal/search/stats", strict: true, module: `
		internal/search/coverage internal/search/verify internal/explore internal/search/meter internal/search/runloop internal/table
		internal/table/... sim internal/eventkind internal/netmodel`},
	{pkg: "internal/search/runs", strict: true, module: `
		internal/encoding internal/search/fpset internal/search/runloop internal/search/schedules internal/kernel
		internal/kernel/... internal/replay internal/simext choose sim internal/eventkind internal/netmodel`},
	{pkg: "internal/search/strategy", strict: true, module: "internal/explore internal/search/runs"},
	{pkg: "search", module: `
		internal/encoding internal/search/... internal/stacks internal/simext internal/budget choose internal/explore
		internal/explore/stateset macetime sim internal/eventkind internal/netmodel internal/kernel
		internal/kernel/... internal/table internal/table/... internal/replay`},
	{pkg: "internal/history", module: `
		choose eventgraph internal/encoding/... internal/kernel/... internal/replay internal/textfmt sim
		internal/eventkind internal/netmodel internal/simext`},
	{pkg: "mdb/internal/cmdline", strict: true},
	{pkg: "mdb/internal/variables", module: `
		internal/history internal/inspect internal/encoding/diff internal/simext internal/textfmt mdb/internal/cmdline sim`},
	{pkg: "mdb", module: `
		internal/pathfile internal/search/runloop internal/search/runs internal/history internal/inspect mdb/internal/...
		internal/outfile internal/infile internal/textfmt choose sim internal/eventkind internal/netmodel internal/simext
		internal/kernel internal/kernel/... internal/encoding/... internal/replay search critical eventgraph`},
	{pkg: "internal/inspect", strict: true},
	{pkg: "internal/wire", strict: true, module: "macetime"},
	{pkg: "internal/recording", module: `
		internal/encoding internal/pathfile internal/encoding/rule choose sim internal/eventkind internal/netmodel
		internal/simext internal/kernel internal/kernel/... internal/replay internal/wire internal/infile`},
	{pkg: "realnet", module: `
		choose macetime sim internal/eventkind internal/netmodel internal/simext internal/kernel internal/kernel/...
		internal/wire internal/recording`},
	{pkg: "internal/infile", strict: true},
	{pkg: "internal/outfile", strict: true, module: "internal/infile"},
	{pkg: "internal/format", strict: true},
	{pkg: "internal/budget", strict: true},
	{pkg: "internal/stacks", strict: true, module: "internal/testsched/program"},
	{pkg: "internal/textfmt", strict: true},
	{pkg: "critical", module: `
		internal/encoding internal/explore internal/search/runloop internal/search/runs internal/search/schedules internal/budget
		internal/textfmt choose macetime sim internal/eventkind internal/netmodel internal/kernel internal/kernel/...
		internal/replay search internal/table internal/table/...`},
	// Packages that mctest imports become part of every test that uses it: no bundled system.
	{pkg: "internal/check/flight", module: "choose"},
	{pkg: "internal/check/exitcode", module: "internal/check/defect internal/check/flight internal/child internal/simext search"},
	{pkg: "internal/check/walkweights", module: "internal/textfmt search sim internal/eventkind internal/netmodel systems/spec"},
	{pkg: "internal/check/defect", module: "internal/stacks"},
	{pkg: "internal/check/isolate", module: `
		internal/child internal/encoding internal/outfile internal/pathfile internal/search/strategy internal/table/options choose internal/budget
		internal/check/defect internal/check/exitcode internal/check/flight internal/kernel internal/kernel/...
		internal/replay internal/report internal/scratch internal/shrink internal/simext internal/stacks search sim
		internal/eventkind internal/netmodel`},
	{pkg: "internal/check", module: `
		internal/pathfile internal/table/options internal/search/... internal/stacks internal/budget internal/outfile internal/infile
		internal/textfmt internal/version internal/check/... choose critical internal/scratch internal/refine
		internal/replay internal/report/... search internal/shrink sim internal/eventkind internal/netmodel
		internal/simext internal/kernel internal/kernel/... systems/spec internal/recording internal/wire`},
	{pkg: "internal/durable", strict: true, module: `
		internal/explore internal/explore/spill internal/explore/statelog internal/scratch internal/infile sim internal/eventkind
		internal/netmodel`},
	{pkg: "internal/task/remote", module: "mdb"},
	{pkg: "internal/task", strict: true, foreign: "golang.org/x/sys/unix", module: `
		internal/child internal/inspect internal/task/remote internal/outfile internal/infile internal/explore/stateset internal/search/... internal/table
		internal/table/options internal/budget internal/durable internal/version internal/textfmt internal/check/...
		choose critical eventgraph mdb observe internal/refine internal/report/... search sim internal/eventkind
		internal/netmodel internal/simext internal/kernel internal/kernel/... systems/spec internal/recording
		internal/replay`},
	{pkg: "cmd/macemc/internal/screen", module: "mdb"},
	{pkg: "cmd/macemc/internal/dap", module: "mdb internal/inspect"},
	{pkg: "internal/web", strict: true, module: "mdb eventgraph"},
	{pkg: "cmd/macemc/internal/live", module: `
		internal/encoding/diff internal/child internal/task internal/textfmt internal/check/... choose
		internal/replay observe realnet search sim internal/eventkind internal/netmodel internal/kernel
		internal/kernel/... systems/spec internal/recording internal/wire`},
	{pkg: "cmd/macemc/internal/runview", module: `
		eventgraph internal/history internal/replay internal/report/document internal/report/render internal/task internal/textfmt
		internal/explorer/minimize internal/explorer/schedulefile internal/testsched internal/testsched/program sim internal/eventkind
		internal/netmodel`},
	{pkg: "cmd/macemc/internal/gotest", module: `
		cmd/macemc/internal/runview internal/inspect internal/child internal/task internal/textfmt internal/check/... eventgraph
		mdb internal/replay internal/report/document internal/report/render search internal/explorer internal/explorer/...
		internal/overlay internal/scratch internal/testbudget internal/testflags internal/testsched internal/testsched/program
		internal/version`},
	{pkg: "cmd/macemc/internal/cli", module: `
		internal/child internal/inspect internal/pathfile internal/search/option internal/search/strategy
		internal/outfile internal/infile cmd/macemc/internal/dap cmd/macemc/internal/gotest cmd/macemc/internal/live
		cmd/macemc/internal/screen internal/task internal/version internal/textfmt internal/check/... choose critical
		eventgraph internal/scaffold internal/scratch internal/web mdb observe internal/refine internal/replay
		internal/report/... search sim internal/eventkind internal/netmodel internal/kernel internal/kernel/...
		systems/spec internal/recording internal/explorer/... internal/overlay internal/testflags internal/testsched internal/testsched/program`},
	{pkg: "mctest", strict: true, module: `
		internal/child internal/pathfile internal/search/... internal/outfile internal/infile internal/textfmt internal/check/... choose critical
		internal/task internal/refine internal/replay internal/report/... search sim internal/eventkind
		internal/netmodel internal/simext internal/kernel internal/kernel/...`},
	{pkg: "crashtest/internal/plaintest", strict: true, module: "internal/child"},
	{pkg: "crashtest", module: "bubble crashtest/internal/plaintest mctest search sim"},
	{pkg: "internal/report", module: `
		internal/search/stats choose critical eventgraph internal/replay search sim internal/eventkind
		internal/netmodel internal/table/fairness`},
	{pkg: "internal/report/nodestates", module: `
		internal/textfmt choose internal/replay sim internal/eventkind internal/netmodel internal/kernel internal/kernel/...`},
	{pkg: "internal/report/document", module: `
		internal/report/nodestates internal/budget internal/explore/stateset internal/search/... internal/table/options internal/report
		internal/simext internal/stacks internal/textfmt choose critical eventgraph internal/replay search sim
		internal/eventkind internal/netmodel internal/kernel internal/kernel/... internal/table/fairness`},
	{pkg: "internal/report/render", module: `
		internal/report internal/report/document internal/format internal/textfmt critical eventgraph internal/replay
		search sim internal/eventkind internal/netmodel`},
	{pkg: "eventgraph", module: `
		internal/simext internal/simhook internal/format internal/textfmt choose macetime internal/replay sim internal/eventkind
		internal/netmodel internal/kernel internal/kernel/...`},
	{pkg: "internal/shrink", module: `
		internal/simext internal/pathfile internal/encoding internal/search/... internal/stacks internal/budget choose critical
		internal/replay search sim internal/eventkind internal/netmodel internal/kernel internal/kernel/... internal/table
		internal/table/options`},
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
			if !below(rel, strings.Fields(r.module)...) {
				return fmt.Sprintf("%s must not import %s; of this module it may import %q", from, rel, strings.Fields(r.module))
			}
		case r.strict && strings.Contains(first, ".") && !below(name, strings.Fields(r.foreign)...):
			return fmt.Sprintf("%s must not import %s; of other modules it may import %s", from, name, r.foreign)
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
