package echo

// Messages. Values are 1 or 2.
type (
	// Init is the value of an initiator.
	Init struct{ Value int }
	// Echo confirms the value to its initiator; a negative one is invalid.
	Echo struct{ Value int }
	// Commit makes a receiver deliver the value.
	Commit struct{ Value int }
)
