package search

import (
	"fmt"
	"slices"

	"github.com/macemc/macemc/internal/table/crashes"
	"github.com/macemc/macemc/internal/table/options"
)

// CrashModel says whether strategies that visit states let nodes crash and halt, as far as the limits of the system allow.
type CrashModel string

// The crash models, see [options.CrashModel].
const (
	CrashExplicit = CrashModel(options.CrashExplicit)
	CrashImplicit = CrashModel(options.CrashImplicit)
	CrashAuto     = CrashModel(options.CrashAuto)
)

// Crashes tells which crashes were left out.
type Crashes = crashes.Crashes

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
