package report

import "fmt"

// OtherVersion is a module built into the checked program in another version than the program's module requires. All
// results are about this version.
type OtherVersion struct {
	Module   string `json:"module"`
	Required string `json:"required"`
	Used     string `json:"used"` // a version, or its replacement
}

func (o OtherVersion) String() string {
	return fmt.Sprintf("%s %s, where go.mod requires %s", o.Module, o.Used, o.Required)
}
