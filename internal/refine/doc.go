// Package refine compares a system with a simpler one, its abstraction, which replaces it when other systems are
// checked. It decides whether the abstraction has every behavior of the system that the surrounding nodes can observe.
//
// Both systems have the same clients, nodes with the same numbers, which should do everything that a client may: as
// many inputs as time permits, at any moment. The observations are the steps of the clients: the messages they receive,
// their actions, their draws, and their notifications of room in streams. An abstraction is valid for an implementation
// if
//
//   - every observation of the implementation is also possible for the abstraction: traces are included;
//   - whenever the implementation may fall silent, the abstraction may do so after the same observations. Silence is a
//     fair infinite run, or one that ends, without further observations. Without this condition an implementation that
//     does nothing would be included. docs/machines.md defines fairness; it promises nothing about the clients' own
//     steps.
//
// A property of observations that holds in all runs of a system with the abstraction then also holds with the
// implementation, for the number and values of inputs that the clients have.
//
// States of the implementation are paired with sets of states of the abstraction: all states that it may be in after
// the same observations. Pairs are visited breadth first, so that a difference is shown in a minimum of steps. A pair
// is skipped if its set contains the set of another pair with the same state, because it has no difference that the
// other lacks.
package refine
