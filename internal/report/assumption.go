package report

// Assumption is an abstraction that the system uses in place of its implementation, and the result of comparing them.
type Assumption struct {
	Name string `json:"name"`
	// Verdict is a verdict of package refine. An empty string means that they were not compared.
	Verdict string `json:"verdict,omitempty"`
	// What describes the difference, or why there is no verdict or no comparison.
	What  string   `json:"what,omitempty"`
	Trace []string `json:"trace,omitempty"` // the observations of clients until then
	// States and Abstract are the numbers of compared states of the implementation and of the abstraction.
	States   int `json:"states,omitempty"`
	Abstract int `json:"abstract,omitempty"`
}

// Wrong reports whether the implementation shows behavior that the abstraction lacks.
func (a *Assumption) Wrong() bool { return a.Verdict == "difference" }
