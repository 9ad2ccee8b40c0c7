// Package linear checks whether histories of concurrent operations are linearizable: whether each operation can be
// placed at one moment between its begin and its end so that a sequential [Model] explains all results.
//
// A [History] can be the state of a monitor of a system. Services announce when clients begin operations and get
// results. The monitor records these events, and [Check] judges the history at each end:
//
//	type history struct{ linear.History[int, Op, string] } // by number of the operation
//
//	func (h *history) Observe(_ sim.NodeID, event any) error {
//		switch e := event.(type) {
//		case Invoked:
//			h.Begin(e.ID, e.Op)
//		case Returned:
//			h.End(e.ID, e.Result)
//			return linear.Check(register, &h.History).Err()
//		}
//		return nil
//	}
//
// A number of steps of the model bounds the work, not a clock, so that the result is a function of the history. A
// history that needs more steps has the outcome [Unknown]. Err then returns an error: an undecided history does not
// count as correct.
//
// The search is that of porcupine, which partitions a history by keys and memoizes explored states.
package linear
