// Package fair finds fair runs of a finite graph that stay hot forever. It decides liveness under fairness
// exactly.
//
// # Runs
//
// A run passes states and edges. It may also stay in a state, which is neither an edge nor a step of a process.
// Edges and states are marked hot, cold, both or neither. An infinite run violates the obligation if from some
// point on it passes nothing cold, passes something hot infinitely often, and is fair:
//
//   - to each [Weak] process: infinitely often the process acts or is not enabled;
//   - to each [Strong] process: it acts infinitely often, or from some point on it is not enabled;
//   - to each fair choice: if it is drawn infinitely often, each of its outcomes occurs infinitely often.
//
// # Steps that change nothing
//
// Edges of one event in one state are its answers. Those without an actor are faults inside the step. An event is a
// no-op if all of its answers lead back to the state and pass nothing cold. A no-op is not an act of its process
// and does not make it enabled. Otherwise a timer that fires again and again without effect would make up for a
// step that never comes. If one answer changes something, all answers are acts.
package fair
