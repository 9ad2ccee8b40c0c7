// Package multipaxos is Multi-Paxos as machines (package machine): a replicated state machine that works while a
// majority of replicas does.
//
// # Protocol
//
// Clients ask the front, which asks the leader. The leader assigns each command the next slot, and asks the
// replicas to accept it under its ballot. A command accepted by a majority is chosen, and each replica executes
// chosen commands in the order of slots. A new leader first asks for promises of a majority to accept nothing of
// lower ballots, and takes over what they have accepted: for each slot the command of the highest ballot. Then it
// notifies the front, which repeats all unanswered commands. So a command may be chosen for two slots; it is
// executed once.
//
// # Source
//
// Lamport, "Paxos Made Simple" (2001), as in section 5 of "Building Reliable Distributed Systems With P"
// (UCB/EECS-2015-198), which counts its bugs without describing them. The bugs here are typical ones.
//
// # Simplifications
//
// The elector abstracts leader election, and does not fail. It appoints leaders with increasing ballots, even while
// an older one is active, and finally one that does not fail. The front abstracts the clients' retries, and does
// not fail either. Logs are not truncated. With fail=crash replicas crash without notice, over connections that
// break, as needed for a real network. With process=2 two replicas run in one process and crash together, unless
// they were a majority.
//
// # Properties
//
// Always: a command accepted by a majority for a slot is that of all higher ballots; replicas agree on chosen
// commands; no command is executed twice. Monitor: each command is answered once (hot). Clients assert that commits
// are in order and that the returned sum is that of all commands up to the commit. With smr=single a single node
// (package smr) replaces all of that, and "macemc refine multipaxos" compares both.
package multipaxos
