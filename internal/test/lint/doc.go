// Package lint holds the rules of this module that no compiler knows, as tests over its source:
// which package may import which, what the deterministic packages must not use, who may execute
// steps, and that there is no global state.
//
// The rules look at everything but test files. A statement over a map is exempted by a comment in its
// line or in the line before that says why the order of the map does not show:
//
//	//lint:sorted REASON
//
// and a package variable by one in the line before that says why it is no state of a run:
//
//	//lint:state REASON
package lint
