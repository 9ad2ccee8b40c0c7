package cli

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/macemc/macemc/check"
	"github.com/macemc/macemc/sim"
	"github.com/macemc/macemc/systems/spec"
)

func (a *app) systemsCommand() *cobra.Command {
	var asJSON bool
	var test string
	cmd := &cobra.Command{
		Use:   "systems [SYSTEM]",
		Short: "List what can be checked, or describe one system",
		Long: `Without an argument, lists the bundled systems. With a folder (as ./mysvc) or import path
of a package, lists the systems that its tests check. With a system, describes it: nodes,
parameters, fault limits, properties, and the known bugs that --bug puts back, each
with the settings that --bug uses unless they are overridden.`,
		Example: `  macemc systems
  macemc systems randtree
  macemc systems ./mysvc
  macemc systems ./mysvc:TestLease
  macemc systems randtree --json`,
		Args: atMostOne("SYSTEM"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return a.listSystems(asJSON)
			}
			if dir, name := splitTest(args[0]); a.test == nil && isPackage(dir) && name == "" && test == "" {
				return a.listPackage(cmd.Context(), dir, asJSON)
			}
			if elsewhere, err := a.systemElsewhere(cmd.Context(), args[0], test); elsewhere {
				return err
			}
			e, err := a.entry(args[0])
			if err != nil {
				return err
			}
			info, err := describe(e)
			if err != nil {
				return err
			}
			if asJSON {
				return writeJSON(a.stdout, info)
			}
			return info.text(a.stdout)
		},
	}
	cmd.Flags().StringVar(&test, "test", "", "of a package, the system of the test `NAME`")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON object")
	return cmd
}

func (a *app) listSystems(asJSON bool) error {
	var list struct {
		Systems []systemInfo `json:"systems"`
	}
	for _, e := range a.systems {
		info, err := describe(e)
		if err != nil {
			return err
		}
		list.Systems = append(list.Systems, info)
	}
	if asJSON {
		return writeJSON(a.stdout, list)
	}
	tw := tabwriter.NewWriter(a.stdout, 0, 0, 2, ' ', 0)
	for _, s := range list.Systems {
		fmt.Fprintf(tw, "%s\t%s\t%s\n", s.Name, nodeRange(s.MinNodes, s.MaxNodes), s.Summary)
	}
	return tw.Flush()
}

// systemInfo is what is said of a system.
type systemInfo struct {
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
	ID            string            `json:"id"`
	Summary       string            `json:"summary"`
	Shows         string            `json:"shows,omitempty"`
	Fix           string            `json:"fix"`
	Kind          sim.FindingKind   `json:"kind"`
	PaperKind     sim.FindingKind   `json:"paper_kind"`
	OtherKinds    []sim.FindingKind `json:"other_kinds,omitempty"`
	PaperProperty string            `json:"paper_property,omitempty"`
	Nodes         int               `json:"nodes"`
	Params        map[string]string `json:"params,omitempty"`
	Limits        sim.Limits        `json:"limits"`
	Strategy      spec.Strategy     `json:"strategy,omitempty"`
	Weights       *spec.Weights     `json:"weights,omitempty"`
	WalkSteps     int               `json:"walk_steps,omitempty"`
	Prefix        bool              `json:"prefix"`
}

func describe(e spec.Entry) (systemInfo, error) {
	s, err := check.NewSubject(e, check.Wanted{})
	if err != nil {
		return systemInfo{}, err
	}
	info := systemInfo{
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
		}
		info.Properties = append(info.Properties, propertyInfo{p.Name, kind})
	}
	for _, name := range s.System.MonitorNames() {
		info.Properties = append(info.Properties, propertyInfo{name, "monitor"})
	}
	for _, b := range e.Bugs {
		d := b.Defaults
		i := bugInfo{
			ID: b.ID, Summary: b.Summary, Shows: b.Shows, Fix: b.Fix,
			Kind: b.Kind, PaperKind: b.PaperKind, OtherKinds: b.OtherKinds, PaperProperty: b.PaperProperty,
			Nodes: d.Nodes, Params: d.Params, Limits: d.Limits, Strategy: d.Strategy,
			WalkSteps: d.WalkSteps, Prefix: d.Prefix,
		}
		if i.Nodes == 0 {
			i.Nodes = e.DefaultNodes
		}
		if d.Weights != (spec.Weights{}) {
			i.Weights = &d.Weights
		}
		info.Bugs = append(info.Bugs, i)
	}
	return info, nil
}

func (s systemInfo) text(w io.Writer) error {
	tw := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintf(tw, "%s: %s\n", s.Name, s.Summary)
	if s.Notes != "" {
		fmt.Fprintf(tw, "\n%s\n", s.Notes)
	}
	fmt.Fprintf(tw, "\nnodes\t%s, default %d\n", nodeRange(s.MinNodes, s.MaxNodes), s.Nodes)
	fmt.Fprintf(tw, "faults\t%s\n", limitsText(s.Limits))
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
	before := check.LimitFields(&usual)
	for i, f := range check.LimitFields(&b.Limits) {
		if *f.Value > 0 || *before[i].Value > 0 {
			uses = append(uses, fmt.Sprintf("--%s %d", f.Name, *f.Value))
		}
	}
	if b.Strategy != "" {
		uses = append(uses, "--strategy "+string(b.Strategy))
	}
	if b.Weights != nil {
		uses = append(uses, "--weights "+check.WeightsText(check.FillWeights(*b.Weights)))
	}
	if b.WalkSteps != 0 {
		uses = append(uses, "--walk-steps "+strconv.Itoa(b.WalkSteps))
	}
	if b.Prefix {
		uses = append(uses, "from live states made without faults")
	}
	return append(lines, expect, "uses: "+strings.Join(uses, " "))
}

func nodeRange(low, high int) string {
	if low == high {
		return fmt.Sprintf("%d nodes", low)
	}
	return fmt.Sprintf("%d to %d nodes", low, high)
}

func limitsText(l sim.Limits) string {
	var parts []string
	for _, f := range check.LimitFields(&l) {
		if *f.Value > 0 {
			parts = append(parts, fmt.Sprintf("%s<=%d", f.Name, *f.Value))
		}
	}
	if len(parts) == 0 {
		return "none"
	}
	return strings.Join(parts, ", ")
}

// writeJSON writes exactly one object and a newline.
func writeJSON(w io.Writer, v any) error {
	enc := json.NewEncoder(w)
	enc.SetIndent("", "  ")
	enc.SetEscapeHTML(false)
	return enc.Encode(v)
}

func atMostOne(what string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) > 1 {
			return fmt.Errorf("%s takes one %s, got %d: %s", cmd.CommandPath(), what, len(args), strings.Join(args, " "))
		}
		return nil
	}
}

func exactlyOne(what string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) == 0 {
			return fmt.Errorf("%s needs a %s; see %s --help", cmd.CommandPath(), what, cmd.CommandPath())
		}
		return atMostOne(what)(cmd, args)
	}
}
