package report

// Assumption is an abstraction that a system has in the place of what ships, and what comparing both came to.
type Assumption struct {
	Name string `json:"name"`
	// Verdict is that of package refine; "": they were not compared.
	Verdict string `json:"verdict,omitempty"`
	// What says what the difference is, why nothing was decided, or why they were not compared.
	What  string   `json:"what,omitempty"`
	Trace []string `json:"trace,omitempty"` // what clients see until then
	// States and Abstract are how many of both were compared.
	States   int `json:"states,omitempty"`
	Abstract int `json:"abstract,omitempty"`
}

// Wrong reports whether what ships was seen to do what the abstraction does not.
func (a *Assumption) Wrong() bool { return a.Verdict == "difference" }
