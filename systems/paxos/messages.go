package paxos

// Ballot numbers the attempts to have a value chosen; 0 means none. Each proposer has one ballot.
type Ballot uint8

// Value is a proposed value; 0 means none.
type Value uint8

// Messages.
type (
	// Read asks an acceptor for its promise to ignore all lower ballots.
	Read struct{ Ballot Ballot }
	// ReadReply is the promise, with the highest ballot in which the acceptor has accepted a value,
	// and that value.
	ReadReply struct {
		Accepted Ballot
		Value    Value
	}
	// Write asks an acceptor to accept a value.
	Write struct {
		Ballot Ballot
		Value  Value
	}
	// Accept reports to a learner that the sender has accepted a value.
	Accept struct {
		Ballot Ballot
		Value  Value
	}
)
