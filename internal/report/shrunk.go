package report

// Shrunk describes the original run of a shrunk finding, and the work of shrinking it.
type Shrunk struct {
	FromSteps    int     `json:"from_steps"`              // of the original run
	FromCritical int     `json:"from_critical,omitempty"` // its critical step; 0 means none
	Candidates   int     `json:"candidates"`              // candidates tried
	Executed     int     `json:"executed"`                // steps
	Seconds      float64 `json:"seconds"`
	// Minimal means that no single step before the finding, or before the critical step, can be omitted.
	Minimal bool `json:"minimal"`
	// Pairs means that no two causes can be omitted together with all their consequences.
	Pairs bool `json:"minimal_pairs,omitempty"`
	// Over means that the budget ended before all candidates were tried.
	Over     bool   `json:"budget_over,omitempty"`
	Original string `json:"original_path_file,omitempty"` // empty means none
}
