package report

import (
	"fmt"

	"github.com/macemc/macemc/eventgraph"
	"github.com/macemc/macemc/internal/replay"
	"github.com/macemc/macemc/internal/search/stats"
	"github.com/macemc/macemc/internal/table/fairness"
	"github.com/macemc/macemc/search"
	"github.com/macemc/macemc/sim"
)

// Report is the outcome of one search. Its JSON keys are a contract: keys may be added, but not renamed or removed. The
// fields of its JSON object stand in one flat struct.
type Report struct {
	Settings
	Schedule string          `json:"schedule,omitempty"` // of the walk that found the violation
	Seed     uint64          `json:"seed"`
	Workers  int             `json:"workers"`
	Verdict  search.Verdict  `json:"verdict"`
	Kind     sim.FindingKind `json:"kind,omitempty"`
	Property string          `json:"property,omitempty"`
	Message  string          `json:"message,omitempty"`
	Steps    int             `json:"steps"` // of the violating run
	Depth    int             `json:"depth"`
	search.Work
	Stopped      string               `json:"stopped"`
	WalkSteps    int                  `json:"walk_steps"` // limit of a walk
	PathFile     string               `json:"path_file,omitempty"`
	LivePathFile string               `json:"live_path_file,omitempty"`
	Critical     *Critical            `json:"critical,omitempty"`
	Starved      *fairness.Starvation `json:"starved,omitempty"`    // of starvation: the infinite run
	Shrunk       *Shrunk              `json:"shrunk,omitempty"`     // nil means that the run is as it was found
	NotShrunk    string               `json:"not_shrunk,omitempty"` // why it was not shrunk
	Difference   *stats.Difference    `json:"difference,omitempty"` // of nondeterminism
	Coverage     Coverage             `json:"coverage"`
	// Uncovered describes what the search cannot observe of the services. Empty means no such limit.
	Uncovered string `json:"uncovered,omitempty"`
	// Disturbing names the actions and other events, as "timer Retry", that are excluded from recovery.
	Disturbing []string `json:"disturbing,omitempty"`

	Monitors []string `json:"monitors,omitempty"` // names of all monitors of the system
	// OtherVersions lists modules that the checked program was built with in another version than its module requires.
	OtherVersions []OtherVersion `json:"other_versions,omitempty"`
	// Handler is the source position of the critical step, or the kind of its event. It is set in JSON only, which lacks Dead.
	Handler string `json:"handler,omitempty"`
	// Summary is the first screen. It is set in JSON only.
	Summary *Summary `json:"summary,omitempty"`
	// Folds are the ticks of the violating run that other formats show as one line, LiveFolds those of the nearest live run. They
	// are set in JSON only.
	Folds     []eventgraph.Fold `json:"folds,omitempty"`
	LiveFolds []eventgraph.Fold `json:"live_folds,omitempty"`
	// Warning explains why the search tested little. It is set in JSON only.
	Warning string `json:"warning,omitempty"`
	// Assumes is the assumption about time under which a liveness violation holds. It is set in JSON.
	Assumes string `json:"assumes,omitempty"`
	// Shard identifies the part of a divided search. Nil means a whole search.
	Shard *Shard `json:"shard,omitempty"`
	// Shards lists the parts merged by [Merge]. Missing lists the numbers of the missing parts.
	Shards  []Part `json:"shards,omitempty"`
	Missing []int  `json:"missing,omitempty"`
	// Kept describes the folder of a checkpointed search. Nil means none.
	Kept *Kept `json:"kept,omitempty"`
	// Cluster is the server of the workers that searched. Empty means that this process searched.
	Cluster string `json:"cluster,omitempty"`
	// Program is the version of macemc that made the report. Empty means unknown.
	Program string `json:"program,omitempty"`

	// Findings are the findings of a search that continues after a violation. In other searches they are nil. With
	// Findings, the other fields describe the whole search. Alike counts violations that are like a finding. Ended
	// explains why the last finding ended the search; empty means that it did not.
	Findings []*Report `json:"findings,omitzero"`
	Alike    int       `json:"alike,omitempty"`
	Unsure   []Unsure  `json:"unsure,omitempty"` // of Alike
	Ended    string    `json:"ended,omitempty"`
	// Known are the accepted findings. Hidden explains why nothing else could be looked at; empty means that it could.
	Known  []Known `json:"known,omitempty"`
	Hidden string  `json:"hidden,omitempty"`
	// Confirming is the clock time for confirming suspects, Telling that for shrinking and describing findings, in seconds.
	Confirming float64 `json:"confirming_seconds,omitempty"`
	Telling    float64 `json:"telling_seconds,omitempty"`

	// Running counts goroutines that handlers had started and that were still running when the search ended, or when a run
	// ended its process. It was not checked what they do; one of them may have ended the process, in any step.
	Running int `json:"running_goroutines,omitempty"`

	// Suspects counts suspected violations that were not confirmed. Undecided counts those that were not refuted either.
	Suspects  int    `json:"suspects"`
	Undecided int    `json:"undecided,omitempty"`
	Slow      int    `json:"slow,omitempty"`    // refuted suspects of steps that took longer than --handler-limit
	Stack     string `json:"stack,omitempty"`   // of a panic; renderers show its user frames only
	Explain   string `json:"explain,omitempty"` // the property's explanation of the last state

	// Suspect is the first undecided suspect. Nil means none, or that the search ended with a violation.
	Suspect *Suspect `json:"suspect,omitempty"`

	// The text renderers also need these. They are not part of the JSON.
	Dead     *replay.Trace `json:"-"` // the violating run, traced
	Live     *replay.Trace `json:"-"` // the nearest live run, traced; nil means unknown
	Commands Commands      `json:"-"`
	// InTest means that package mctest searched: texts name limits and fields, not flags of macemc search.
	InTest bool `json:"-"`
	// PathText and LivePathText are the contents of the path files, for pages. Empty means none.
	PathText, LivePathText string `json:"-"`
}

// Settings define the runs of the checked system. All shards of a search have the same.
type Settings struct {
	System   string            `json:"system"`
	Nodes    int               `json:"nodes"`
	Params   map[string]string `json:"params,omitempty"`
	Bugs     []string          `json:"bugs"`
	Limits   sim.Limits        `json:"limits"`
	Timing   string            `json:"timing"`
	Clocks   string            `json:"clocks,omitempty"`    // relation of node clocks to a common time; empty means none
	CrashCut string            `json:"crash_cut,omitempty"` // remaining effects of a step that a crash or halt cuts; empty means a prefix
	Strategy string            `json:"strategy"`
}

// Kept describes the folder of a checkpointed search.
type Kept struct {
	Folder string `json:"folder"`
	Before int    `json:"before"` // states that were stored when the search began, and were checked again
	// Runs counts random walks that were stored.
	Runs int `json:"runs,omitempty"`
	// Lost counts runs of an unfinished part. They were not stored, and are made again.
	Lost int `json:"lost,omitempty"`
}

// Commands are the commands to run next. Empty ones are not shown.
type Commands struct {
	Look   string // opens the run in the debugger
	Replay string // executes the run
	Search string // searches again
	Decide string // decides whether the run is dead
	Report string // a hint, not a command: the file with the whole report
	More   string // a hint, not a command: how to find further violations
}

// Summary is the first screen of a report about one finding: the violation, its step, and the certainty.
type Summary struct {
	Sentence string    `json:"sentence"`
	Facts    []Labeled `json:"facts"`
	Source   string    `json:"source,omitempty"` // position of the handler
	Code     []string  `json:"code,omitempty"`   // lines around it, with their numbers; the handler's line is marked
	Causes   []Source  `json:"causes,omitempty"` // handlers of steps that led to the violation
}

// Source is the source of a handler.
type Source struct {
	Source string   `json:"source"` // its position
	Note   string   `json:"note"`   // the step that it handled
	Code   []string `json:"code"`   // lines, see [Summary.Code]
}

// Labeled is a statement with a label and an aside.
type Labeled struct {
	Label string `json:"label"`
	Text  string `json:"text"`
	Aside string `json:"aside,omitempty"`
}

// OtherVersion is a module built into the checked program in another version than the program's module requires. All
// results are about this version.
type OtherVersion struct {
	Module   string `json:"module"`
	Required string `json:"required"`
	Used     string `json:"used"` // a version, or its replacement
}

func (o OtherVersion) String() string {
	return fmt.Sprintf("%s %s, where go.mod requires %s", o.Module, o.Used, o.Required)
}
