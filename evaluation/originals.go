package main

import "github.com/macemc/macemc/systems/spec"

// originals holds the figures of the MaceMC paper for finding a bug (Killian, Anderson, Jhala, Vahdat: Life, Death, and
// the Critical Transition, NSDI 2007, extended version), by bug. The paper has no figures for the others.
var originals = map[string]string{
	"RT12": "9.5 h, 2.85 M paths, depth 35, critical step 68",
	"RT13": "path 383,365, depth 15, critical step 18",
	"RT14": "path 1,350,198, depth 15",
	"RT15": "535 paths from a prefix",
	"RT17": "path 38,365 from the prefix of RT15",
	"P3":   "path 5, critical step 355",
	"P4":   "path 48 from a prefix of 744 steps, critical step 771",
	"P5":   "path 1,952 from a prefix of 744 steps, critical step 821",
	"OV1":  "11 to 76 s, 5 K to 16 K paths, depth 10 to 25, walks of 10 K steps",
}

// variant is another way to search for a bug than its defaults, with the corresponding figure of the paper.
type variant struct {
	bug   string
	how   string
	flags []string
	// fixed means that the search is deterministic, so that one seed is enough.
	fixed    bool
	original string
}

// propertyAlone returns a search for a bug with the paper's property alone. ok is false if the search with all
// properties detects the bug as in the paper.
func propertyAlone(b *spec.Bug) (v variant, ok bool) {
	return variant{
		bug: b.ID, how: "by the paper's property alone", flags: []string{"--property", b.PaperProperty}, original: originals[b.ID],
	}, b.PaperProperty != "" && b.PaperKind != b.Kind
}

// variants holds the paper's comparison of searches for BT2.
var variants = []variant{
	{bug: "BT2", how: "bounded search, no visited set, to depth 20 at once", fixed: true,
		flags: []string{"--alone", "--visited", "none", "--deepen-by", "20"}, original: "6.5 h, depth 20, 15 M paths"},
	{bug: "BT2", how: "the same, one deeper each time", fixed: true,
		flags: []string{"--alone", "--visited", "none"}, original: "6.5 h, depth 20, 15 M paths"},
	{bug: "BT2", how: "the same, and timers wait for messages", fixed: true,
		flags: []string{"--alone", "--visited", "none", "--timing", "Prompt"}, original: "6.5 h, depth 20, 15 M paths"},
	{bug: "BT2", how: "bounded search with a visited set", fixed: true,
		flags: []string{"--alone"}, original: "30 s / 4.5 s, 18 K / 2.5 K paths"},
	{bug: "BT2", how: "the same, timers wait for messages", fixed: true,
		flags: []string{"--alone", "--timing", "Prompt"}, original: "30 s / 4.5 s, 18 K / 2.5 K paths"},
	{bug: "BT2", how: "bounded search with a hash that collides (16 bits)", fixed: true,
		flags: []string{"--alone", "--visited", "16"}, original: "30 s / 4.5 s, 18 K / 2.5 K paths"},
	{bug: "BT2", how: "the same with 12 bits", fixed: true,
		flags: []string{"--alone", "--visited", "12"}, original: "30 s / 4.5 s, 18 K / 2.5 K paths"},
	{bug: "BT2", how: "random walk, unbiased",
		flags: []string{"--strategy", "walk", "--unbiased"}, original: "0.37 s, 445 paths"},
	{bug: "BT2", how: "random walk, biased",
		flags: []string{"--strategy", "walk"}, original: "1.9 s, 2.6 K paths"},
	{bug: "BT2", how: "bounded search with a visited set, and biased walks", original: "0.25 s / 0.14 s, 213 / 78 paths"},
	{bug: "BT2", how: "the same with a hash that collides (16 bits)",
		flags: []string{"--visited", "16"}, original: "0.25 s / 0.14 s, 213 / 78 paths"},
}
