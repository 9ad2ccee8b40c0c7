package search

import (
	"fmt"
	"slices"

	"github.com/macemc/macemc/internal/table/options"
	"github.com/macemc/macemc/sim"
)

// CrashModel selects whether strategies that visit states let nodes crash and halt, within the limits of the system.
type CrashModel string

// The crash models, see [options.CrashModel].
const (
	CrashExplicit = CrashModel(options.CrashExplicit)
	CrashImplicit = CrashModel(options.CrashImplicit)
	CrashAuto     = CrashModel(options.CrashAuto)
)

// Crashes describes which crashes and halts were left out.
type Crashes struct {
	Model          options.CrashModel       `json:"model"`            // the requested model
	Implicit       []sim.NodeID             `json:"implicit"`         // nodes that may crash, but did not
	Proven         bool                     `json:"proven"`           // it is proven that this changes no verdict
	CrashSensitive []options.CrashSensitive `json:"opaque,omitempty"` // nodes without such a proof; they did crash if the model is auto
	Why            string                   `json:"why,omitempty"`    // the reason why no crash can be left out
}

// CrashModels returns all crash models. The first is the default.
func CrashModels() []CrashModel { return []CrashModel{CrashExplicit, CrashImplicit, CrashAuto} }

func (m CrashModel) fits(c *Config) error {
	switch {
	case m == "" || m == CrashExplicit:
		return nil
	case !slices.Contains(CrashModels(), m):
		return fmt.Errorf("crash model %q is not one of %s, %s, %s", m, CrashExplicit, CrashImplicit, CrashAuto)
	case c.Log != nil:
		return fmt.Errorf("a log cannot be combined with crash model %s, which omits states", m)
	}
	return nil
}
