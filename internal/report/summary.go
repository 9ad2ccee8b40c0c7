package report

// Summary is the first screen of a report about one finding: what is violated, by which step, and how sure that is.
type Summary struct {
	Sentence string    `json:"sentence"`
	Facts    []Labeled `json:"facts"`
	Source   string    `json:"source,omitempty"` // position of the handler
	Code     []string  `json:"code,omitempty"`   // lines around it, with their numbers, the handler's marked
}

// Labeled is a statement with a label and an aside.
type Labeled struct {
	Label string `json:"label"`
	Text  string `json:"text"`
	Aside string `json:"aside,omitempty"`
}
