// Package symmetry explores one state of each set that permutations of interchangeable nodes make equal.
//
// Nodes of one role (sim.System.Roles) are interchangeable. A state stands for all of its permutations, and
// the least of these is explored (Ip and Dill, Better Verification Through Symmetry, Formal Methods in
// System Design 9, 1996). That nodes are interchangeable is not believed: the steps, outcomes and properties
// of permuted local states are compared, and a difference refutes the symmetry with a witness.
package symmetry
