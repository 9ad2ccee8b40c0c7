package choose

import "fmt"

// Kind is the kind of decision that a choice point makes. Several kinds may share a class, which is the kind that path
// files and recordings name; see [Kind.Class].
type Kind uint8

const (
	Event   Kind = iota // which of the enabled events runs next
	Draw                // an alternative that a handler draws
	Compare             // how two time values compare
	Fault               // whether a fault strikes inside the step; alternative 0 means no fault
	Outcome             // the result of a fault that has struck, for example which unsynced writes survive
	Seed                // seed of the numbers that code draws; all seeds but 0 are alike; always [Point.Sampled]

	// CompareForeign is a [Compare] with a time that came in a message. Such times are not ordered, so the check
	// includes behaviors that cannot really occur.
	CompareForeign
	CrashInside // a [Fault]: whether the node crashes inside the step, and where
	HaltInside  // a [Fault]: whether the node halts inside the step, and where

	// Reseed decides whether code draws its numbers anew, from a seed, or goes on with the seed that it has: alternative 0,
	// which searches take. Walks that judge a run take others where they depart from it. It is always [Point.Sampled].
	Reseed

	kindCount = iota
)

// kinds describes each kind. A kind that is its own class has only a word.
var kinds = [kindCount]struct {
	word  string // in path files
	class Kind
	label string // label of its points, for people; empty if each point has its own
}{
	Event:          {word: "event", class: Event},
	Draw:           {word: "draw", class: Draw},
	Compare:        {word: "compare", class: Compare, label: "is it earlier"},
	Fault:          {word: "fault", class: Fault},
	Outcome:        {word: "outcome", class: Outcome},
	Seed:           {word: "seed", class: Seed},
	CompareForeign: {word: "compare", class: Compare, label: "is it earlier; one time is of another node"},
	CrashInside:    {word: "fault", class: Fault, label: "crash inside the step"},
	HaltInside:     {word: "fault", class: Fault, label: "halt inside the step"},
	Reseed:         {word: "reseed", class: Reseed},
}

// Known reports whether k is one of the kinds.
func (k Kind) Known() bool { return k < kindCount }

// Class returns the class of k. Kinds of faults have the class [Fault], kinds of comparisons [Compare], and each other kind
// is a class of its own.
func (k Kind) Class() Kind {
	if k.Known() {
		return kinds[k].class
	}
	return k
}

// Label returns the label of points of kind k, or an empty string if each point has its own.
func (k Kind) Label() string { return kinds[k].label }

// Implied reports whether files and reports omit the answer pick: "no fault", or "no new seed".
func (k Kind) Implied(pick int) bool { return pick == 0 && (k.Class() == Fault || k == Reseed) }

// Seeds reports whether the alternatives of k are seeds.
func (k Kind) Seeds() bool { return k == Seed || k == Reseed }

// String returns the word for k's class in path files.
func (k Kind) String() string {
	if k.Known() {
		return kinds[k].word
	}
	return fmt.Sprintf("Kind(%d)", uint8(k))
}

// InPath reports whether the answer to p is part of a [Path]. It is unless there is only one alternative; for events it
// always is.
func (p Point) InPath() bool { return p.Arity > 1 || p.Kind == Event }

// Describe returns the name of p for error messages.
func (p Point) Describe() string {
	if p.Label == "" {
		return p.Kind.String()
	}
	return fmt.Sprintf("%s %q", p.Kind, p.Label)
}
