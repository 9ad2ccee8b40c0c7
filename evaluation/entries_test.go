package main

import (
	"strconv"
	"testing"

	"github.com/macemc/macemc/observe"
	"github.com/macemc/macemc/sim"
	"github.com/macemc/macemc/systems/spec"
)

// Every entry builds with its defaults, with each of its bugs' defaults, and at both ends of its range of nodes. The
// descriptions of its bugs are complete.
func TestEntriesBuild(t *testing.T) {
	ids := map[string]string{}
	for _, e := range allSystems() {
		for _, n := range []int{e.MinNodes, e.DefaultNodes, e.MaxNodes} {
			if sys, err := e.New(spec.Config{Nodes: n}); err != nil {
				t.Errorf("%s with %d nodes: %v", e.Name, n, err)
			} else if err := sys.Validate(); err != nil {
				t.Errorf("%s with %d nodes: %v", e.Name, n, err)
			} else if c, _ := e.Configure(spec.Config{}); e.DefaultLimits(c) != e.Limits {
				t.Errorf("%s: limits %+v by default, but %+v of the defaults", e.Name, e.Limits, e.DefaultLimits(c))
			} else if sys.Limits() != e.Limits || sys.Nodes != n {
				t.Errorf("%s: built with limits %+v and %d nodes, want %+v and %d",
					e.Name, sys.Limits(), sys.Nodes, e.Limits, n)
			}
		}
		for _, p := range e.Params {
			if err := p.Validate(p.Default); err != nil || p.Help == "" {
				t.Errorf("%s: default of %s: %v; help %q", e.Name, p.Name, err, p.Help)
			}
		}
		for _, b := range e.Bugs {
			if other, taken := ids[b.ID]; taken {
				t.Errorf("bug %s belongs to %s and %s", b.ID, other, e.Name)
			}
			ids[b.ID] = e.Name
			if b.Summary == "" || b.Fix == "" || b.Kind == "" || b.PaperKind == "" {
				t.Errorf("bug %s lacks a description: %+v", b.ID, b)
			}
			sys, err := e.New(b.Apply(spec.Config{}))
			if err != nil {
				t.Errorf("bug %s: %v", b.ID, err)
				continue
			}
			if _, err := sys.WithLimits(b.Defaults.Limits); err != nil {
				t.Errorf("bug %s: limits: %v", b.ID, err)
			}
			known := b.PaperProperty == "" || b.PaperProperty == "assertion"
			for _, p := range sys.Properties {
				known = known || p.Name == b.PaperProperty
			}
			for _, m := range sys.Monitors {
				known = known || sim.MonitorName(m()) == b.PaperProperty
			}
			if !known {
				t.Errorf("bug %s: no property %q", b.ID, b.PaperProperty)
			}
		}
	}
}

// Monitors of all systems can process events from logs.
func TestMonitorsObserve(t *testing.T) {
	for _, e := range allSystems() {
		configs := []spec.Config{{Nodes: e.DefaultNodes}}
		for _, p := range e.Params {
			switch p.Kind {
			case spec.Int:
				configs = append(configs, spec.Config{Nodes: e.DefaultNodes, Params: map[string]string{p.Name: strconv.Itoa(max(1, p.Min))}})
			case spec.OneOf:
				for _, v := range p.Values {
					configs = append(configs, spec.Config{Nodes: e.DefaultNodes, Params: map[string]string{p.Name: v}})
				}
			}
		}
		for _, c := range configs {
			sys, err := e.New(c)
			if err != nil {
				continue // a parameter that needs other nodes
			}
			for _, m := range sys.Monitors {
				if _, err := observe.NewLog(sys.Nodes).History(m()); err != nil {
					t.Errorf("%s %v: %v", e.Name, c.Params, err)
				}
			}
		}
	}
}
