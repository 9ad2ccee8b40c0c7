// Package symmetry explores one state of each orbit under permutations of interchangeable nodes.
//
// Nodes of one role (sim.System.Roles) are declared interchangeable. Each state is replaced by the least of its
// permutations (Ip and Dill, Better Verification Through Symmetry, Formal Methods in System Design 9, 1996). The
// declaration is checked: the steps, outcomes and properties of permuted local states are compared, and a
// difference refutes the symmetry with a witness.
package symmetry
