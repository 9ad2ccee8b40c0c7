package report

// Shrunk says how the run was before it was made smaller.
type Shrunk struct {
	FromSteps    int     `json:"from_steps"`              // of the run as it was found
	FromCritical int     `json:"from_critical,omitempty"` // its critical step; 0: none
	Candidates   int     `json:"candidates"`              // that were tried
	Executed     int     `json:"executed"`                // steps
	Seconds      float64 `json:"seconds"`
	// Minimal says that no single step before the finding, or before the critical one, can be left out.
	Minimal bool `json:"minimal"`
	// Pairs says that no two causes can be left out, each with all that follows from it.
	Pairs    bool   `json:"minimal_pairs,omitempty"`
	Original string `json:"original_path_file,omitempty"` // "": none
}
