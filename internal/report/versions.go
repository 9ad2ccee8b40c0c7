package report

import "fmt"

// OtherVersion is a module that what was checked was built with, in another version than its own module requires: what
// is found, or not found, is that of this version.
type OtherVersion struct {
	Module   string `json:"module"`
	Required string `json:"required"`
	Used     string `json:"used"` // a version, or what stands in for it
}

func (o OtherVersion) String() string {
	return fmt.Sprintf("%s %s, where go.mod requires %s", o.Module, o.Used, o.Required)
}
