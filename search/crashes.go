package search

import (
	"fmt"
	"slices"

	"github.com/macemc/macemc/internal/table/options"
	"github.com/macemc/macemc/sim"
)

// CrashModel says whether strategies that visit states let nodes crash and halt, as far as the limits of the system allow.
type CrashModel string

// The crash models, see [options.CrashModel].
const (
	CrashExplicit = CrashModel(options.CrashExplicit)
	CrashImplicit = CrashModel(options.CrashImplicit)
	CrashAuto     = CrashModel(options.CrashAuto)
)

// Crashes tells which crashes and halts were left out.
type Crashes struct {
	Model          options.CrashModel       `json:"model"`            // that was asked for
	Implicit       []sim.NodeID             `json:"implicit"`         // nodes that did not crash, though they may
	Proven         bool                     `json:"proven"`           // it is known that this changes no verdict
	CrashSensitive []options.CrashSensitive `json:"opaque,omitempty"` // nodes of which it is not; they did crash if the model is auto
	Why            string                   `json:"why,omitempty"`    // no crash can be left out
}

// CrashModels are all of them; the first is the default.
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
