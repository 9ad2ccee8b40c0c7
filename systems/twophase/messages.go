package twophase

// Messages, and the coordinator's timer.
type (
	// Prepare asks a participant for its vote.
	Prepare struct{}
	// Vote is the answer. A yes is binding until the decision is known, a no permanently.
	Vote struct{ Yes bool }
	// Decision informs a participant of the outcome.
	Decision struct{ Commit bool }
	// Query asks the coordinator for the outcome.
	Query struct{}

	votesDue struct{}
)
