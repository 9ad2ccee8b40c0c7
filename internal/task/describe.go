package task

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"

	"github.com/macemc/macemc/internal/check"
	"github.com/macemc/macemc/internal/check/walkweights"
	"github.com/macemc/macemc/internal/textfmt"
	"github.com/macemc/macemc/sim"
	"github.com/macemc/macemc/systems/spec"
)

// Describe describes a system.
type Describe struct {
	System string
	JSON   bool
}

// Validate implements [Task].
func (d *Describe) Validate() error { return nil }

// Do implements [Task].
func (d *Describe) Do(_ context.Context, p *Process) error {
	e, err := p.Entry(d.System)
	if err != nil {
		return err
	}
	info, err := InfoOf(e)
	if err != nil {
		return err
	}
	if d.JSON {
		return WriteJSON(p.Stdout, info)
	}
	return info.text(textfmt.Printer(p.Stdout))
}

// Info describes a system.
type Info struct {
	Name       string         `json:"name"`
	Summary    string         `json:"summary"`
	Notes      string         `json:"notes,omitempty"`
	MinNodes   int            `json:"min_nodes"`
	MaxNodes   int            `json:"max_nodes"`
	Nodes      int            `json:"nodes"` // by default
	Limits     sim.Limits     `json:"limits"`
	Timing     string         `json:"timing"`
	Params     []paramInfo    `json:"params"`
	Properties []propertyInfo `json:"properties"`
	Bugs       []bugInfo      `json:"bugs"`
}

type paramInfo struct {
	Name    string `json:"name"`
	Default string `json:"default"`
	Range   string `json:"range"`
	Help    string `json:"help"`
}

type propertyInfo struct {
	Name string `json:"name"`
	Kind string `json:"kind"` // always, eventually, sometimes or monitor
}

type bugInfo struct {
	spec.Bug
	Nodes     int               `json:"nodes"`
	Params    map[string]string `json:"params,omitempty"`
	Limits    sim.Limits        `json:"limits"`
	Strategy  string            `json:"strategy,omitempty"`
	Weights   *spec.Weights     `json:"weights,omitempty"`
	WalkSteps int               `json:"walk_steps,omitempty"`
	Prefix    bool              `json:"prefix"`
}

// InfoOf describes a system.
func InfoOf(e spec.Entry) (Info, error) {
	s, err := check.NewSubject(e, check.Wanted{})
	if err != nil {
		return Info{}, err
	}
	info := Info{
		Name: e.Name, Summary: e.Summary, Notes: e.Notes,
		MinNodes: e.MinNodes, MaxNodes: e.MaxNodes, Nodes: e.DefaultNodes,
		Limits: e.Limits, Timing: s.System.Timing.String(),
		Params: []paramInfo{}, Properties: []propertyInfo{}, Bugs: []bugInfo{},
	}
	for _, p := range e.Params {
		info.Params = append(info.Params, paramInfo{p.Name, p.Default, p.Range(), p.Help})
	}
	for _, p := range s.System.Properties {
		kind := "sometimes"
		switch {
		case p.Always != nil:
			kind = "always"
		case p.Eventually != nil:
			kind = "eventually"
		case p.Inevitably != nil:
			kind = "inevitably"
		}
		info.Properties = append(info.Properties, propertyInfo{p.Name, kind})
	}
	for _, name := range s.System.MonitorNames() {
		info.Properties = append(info.Properties, propertyInfo{name, "monitor"})
	}
	for _, b := range e.Bugs {
		d := b.Defaults
		i := bugInfo{Bug: b, Nodes: cmp.Or(d.Nodes, e.DefaultNodes), Params: d.Params, Limits: d.Limits, Strategy: d.Strategy,
			WalkSteps: d.WalkSteps, Prefix: d.Prefix}
		if d.Weights != (spec.Weights{}) {
			i.Weights = &d.Weights
		}
		info.Bugs = append(info.Bugs, i)
	}
	return info, nil
}

func (s Info) text(w io.Writer) error {
	tw := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintf(tw, "%s: %s\n", s.Name, s.Summary)
	if s.Notes != "" {
		fmt.Fprintf(tw, "\n%s\n", s.Notes)
	}
	fmt.Fprintf(tw, "\nnodes\t%s, default %d\n", s.NodeRange(), s.Nodes)
	fmt.Fprintf(tw, "faults\t%s\n", LimitsText(s.Limits))
	fmt.Fprintf(tw, "timing\t%s\n", s.Timing)
	if len(s.Params) > 0 {
		fmt.Fprintf(tw, "\nparameters (--set KEY=VALUE)\n")
		for _, p := range s.Params {
			fmt.Fprintf(tw, "  %s\t%s\t%s; %s\n", p.Name, p.Default, p.Help, p.Range)
		}
	}
	fmt.Fprintf(tw, "\nproperties (--property NAME)\n")
	for _, p := range s.Properties {
		fmt.Fprintf(tw, "  %s\t%s\n", p.Kind, p.Name)
	}
	if err := tw.Flush(); err != nil {
		return err
	}
	if len(s.Bugs) == 0 {
		return nil
	}
	fmt.Fprintf(w, "\nknown bugs (--bug ID)\n")
	for _, b := range s.Bugs {
		fmt.Fprintf(w, "  %s\n", strings.Join(b.lines(s.Limits), "\n        "))
	}
	return nil
}

// lines describes the bug. usual are the limits of the system, which those of the bug replace.
func (b bugInfo) lines(usual sim.Limits) []string {
	lines := []string{fmt.Sprintf("%-5s %s", b.ID, b.Summary)}
	if b.Shows != "" {
		lines = append(lines, "shows: "+b.Shows)
	}
	expect := "expect: " + string(b.Kind)
	for _, k := range b.OtherKinds {
		expect += " or " + string(k)
	}
	switch {
	case b.PaperProperty != "":
		expect += fmt.Sprintf("; %s with --property %q", b.PaperKind, b.PaperProperty)
	case b.PaperKind != b.Kind:
		expect += fmt.Sprintf("; in the paper %s", b.PaperKind)
	}
	uses := []string{fmt.Sprintf("--nodes %d", b.Nodes)}
	for _, k := range slices.Sorted(maps.Keys(b.Params)) {
		uses = append(uses, fmt.Sprintf("--set %s=%s", k, b.Params[k]))
	}
	for f := range sim.FaultCount {
		if b.Limits[f] > 0 || usual[f] > 0 {
			uses = append(uses, fmt.Sprintf("--%v %d", f, b.Limits[f]))
		}
	}
	if b.Strategy != "" {
		uses = append(uses, "--strategy "+string(b.Strategy))
	}
	if b.Weights != nil {
		uses = append(uses, "--weights "+walkweights.Text(walkweights.Fill(*b.Weights)))
	}
	if b.WalkSteps != 0 {
		uses = append(uses, "--walk-steps "+strconv.Itoa(b.WalkSteps))
	}
	if b.Prefix {
		uses = append(uses, "--prefixes "+strconv.Itoa(PrefixRuns))
	}
	return append(lines, expect, "uses: "+strings.Join(uses, " "))
}

// NodeRange describes the allowed numbers of nodes.
func (s Info) NodeRange() string {
	if s.MinNodes == s.MaxNodes {
		return fmt.Sprintf("%d nodes", s.MinNodes)
	}
	return fmt.Sprintf("%d to %d nodes", s.MinNodes, s.MaxNodes)
}

// LimitsText describes the possible faults.
func LimitsText(l sim.Limits) string {
	var parts []string
	for f := range sim.FaultCount {
		if l[f] > 0 {
			parts = append(parts, fmt.Sprintf("%v<=%d", f, l[f]))
		}
	}
	if len(parts) == 0 {
		return "none"
	}
	return strings.Join(parts, ", ")
}
