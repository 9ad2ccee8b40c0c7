package synod

// Messages. Ballots and values count from 1; 0 means none.
type (
	// Read asks an acceptor for its promise to ignore all lower ballots.
	Read struct{ Ballot int }
	// ReadReply is the promise, with the highest ballot in which the acceptor has accepted a value, and that value.
	ReadReply struct{ Ballot, Accepted, Value int }
	// Write asks an acceptor to accept a value.
	Write struct{ Ballot, Value int }
	// Accept reports to a learner that the sender has accepted a value.
	Accept struct{ Ballot, Value int }
)
