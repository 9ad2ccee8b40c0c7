// Package refinement enumerates the observable transitions of a system, to check whether it refines another one
// (MP-Basset's transition refinement).
package refinement
