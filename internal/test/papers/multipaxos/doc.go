// Package multipaxos is Multi-Paxos as machines (package machine): a replicated state machine that works as long as most replicas do.
//
// # Protocol
//
// Clients ask the front, which asks the leader. The leader gives each command the next slot, and has the replicas accept it under its ballot; what most have
// accepted is chosen, and each replica executes what is chosen in the order of slots. A new leader first has most replicas promise to accept
// nothing of lower ballots, and takes over what they have accepted: of each slot what has the highest ballot. Then it tells the front, which
// asks it for all that was not answered. A command may so be chosen for two slots; it is executed once.
//
// # Source
//
// Lamport, "Paxos Made Simple" (2001), as in section 5 of "Building Reliable Distributed Systems With P" (UCB/EECS-2015-198), which counts its bugs and
// does not say what they are; those here are such as others have made.
//
// # Simplifications
//
// The elector stands for leader election, and does not fail: it appoints leaders with ever higher ballots, also while an older one is at work, and in the
// end one that does not fail. The front stands for the clients' repeating, and does not fail either. Logs are not cut. With fail=crash replicas crash
// without a word, over connections that break, which is the form for a real network; with process=2 two of them at once, which run in one process, unless
// that were most of them.
//
// # Properties
//
// Always: what most replicas have accepted for a slot is what all higher ballots have there; replicas agree on what is chosen; no command is executed
// twice. Monitor: each command is answered, once (hot). Clients assert that commits come in order and that the sum told is that of all until then. With
// smr=single there is a single node (package smr) in the place of all that, and "macemc refine multipaxos" compares them.
package multipaxos
