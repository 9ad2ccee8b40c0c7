// Package lint checks rules of this module that no compiler checks, by tests over its source: which package may
// import which, what the deterministic packages must not use, who may execute steps, that packages have no global
// state, and that types are small or say why they are not.
//
// The rules apply to everything but test files. A statement over a map is exempted by a comment in its line, or in
// the line before, that says why the order of the map does not matter:
//
//	//lint:sorted REASON
//
// and a package variable by a comment in the line before that says why it is not state of a run:
//
//	//lint:state REASON
package lint
