package report

// Summary is the first screen of a report about one finding: the violation, its step, and the certainty.
type Summary struct {
	Sentence string    `json:"sentence"`
	Facts    []Labeled `json:"facts"`
	Source   string    `json:"source,omitempty"` // position of the handler
	Code     []string  `json:"code,omitempty"`   // lines around it, with their numbers; the handler's line is marked
	Causes   []Source  `json:"causes,omitempty"` // handlers of steps that led to the violation
}

// Source is the source of a handler.
type Source struct {
	Source string   `json:"source"` // its position
	Note   string   `json:"note"`   // the step that it handled
	Code   []string `json:"code"`   // lines, see [Summary.Code]
}

// Labeled is a statement with a label and an aside.
type Labeled struct {
	Label string `json:"label"`
	Text  string `json:"text"`
	Aside string `json:"aside,omitempty"`
}
