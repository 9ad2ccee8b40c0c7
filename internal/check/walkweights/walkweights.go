// Package walkweights reads and writes the weights of random walks as text.
package walkweights

import (
	"cmp"
	"fmt"
	"maps"
	"strconv"
	"strings"

	"github.com/macemc/macemc/internal/textfmt"
	"github.com/macemc/macemc/search"
	"github.com/macemc/macemc/sim"
	"github.com/macemc/macemc/systems/spec"
)

// Parse parses weights such as "action=40,message=8". Missing ones are those of base, or the search's defaults
// if base is zero.
func Parse(text string, base search.Weights) (search.Weights, error) {
	w := base
	if w == (search.Weights{}) {
		w = search.DefaultWeights()
	}
	weights, names := map[string]*int{}, []string(nil)
	for name, weight := range w.Fields() {
		weights[name], names = weight, append(names, name)
	}
	seen := map[string]bool{}
	for part := range strings.SplitSeq(text, ",") {
		name, value, ok := strings.Cut(part, "=")
		if !ok {
			return w, fmt.Errorf("%q is not of the form CLASS=WEIGHT", part)
		}
		weight := weights[name]
		if weight == nil {
			return w, textfmt.Unknown("unknown class", name, names)
		}
		if seen[name] {
			return w, fmt.Errorf("%s is given twice", name)
		}
		seen[name] = true
		n, err := strconv.Atoi(value)
		if err != nil || n < 0 || n > sim.MaxWeight {
			return w, fmt.Errorf("%s is %q, must be a number from 0 to %d", name, value, sim.MaxWeight)
		}
		if n == 0 && name != "fault" {
			// Every consequence and every ordinary event must be possible in a walk. Otherwise the walk considers
			// states dead that only it cannot leave.
			return w, fmt.Errorf("%s is 0, must be at least 1: walks could not recover", name)
		}
		*weight = n
	}
	return w, nil
}

// Text formats weights for [Parse].
func Text(w search.Weights) string {
	var parts []string
	for name, weight := range w.Fields() {
		parts = append(parts, fmt.Sprintf("%s=%d", name, *weight))
	}
	return strings.Join(parts, ",")
}

// Fill sets the weights that a bug omits to their defaults.
func Fill(w spec.Weights) search.Weights {
	out, usual := search.Weights(w), search.DefaultWeights()
	defaults := maps.Collect(usual.Fields())
	for name, weight := range out.Fields() {
		*weight = cmp.Or(*weight, *defaults[name])
	}
	return out
}
