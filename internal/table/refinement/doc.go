// Package refinement enumerates the observable transitions of a system, for comparison with another system
// that it is to refine (MP-Basset's transition refinement).
package refinement
