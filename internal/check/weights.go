package check

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/macemc/macemc/search"
	"github.com/macemc/macemc/systems/spec"
)

const maxWeight = 1_000_000

type weightField struct {
	name  string
	value *int
}

func weightFields(w *search.Weights) []weightField {
	return []weightField{
		{"action", &w.Action},
		{"message", &w.Message},
		{"timer", &w.Timer},
		{"consequence", &w.Consequence},
		{"fault", &w.Fault},
	}
}

// ParseWeights reads weights as in "action=40,message=8". Those left out stay as they are in base,
// or have the search's defaults when base is zero.
func ParseWeights(text string, base search.Weights) (search.Weights, error) {
	w := base
	if w == (search.Weights{}) {
		w = search.DefaultWeights()
	}
	fields := weightFields(&w)
	var names []string
	for _, f := range fields {
		names = append(names, f.name)
	}
	seen := map[string]bool{}
	for part := range strings.SplitSeq(text, ",") {
		name, value, ok := strings.Cut(part, "=")
		if !ok {
			return w, fmt.Errorf("%q is not of the form CLASS=WEIGHT", part)
		}
		i := slices.Index(names, name)
		if i < 0 {
			return w, spec.Unknown("unknown class", name, names)
		}
		if seen[name] {
			return w, fmt.Errorf("%s is given twice", name)
		}
		seen[name] = true
		n, err := strconv.Atoi(value)
		if err != nil || n < 0 || n > maxWeight {
			return w, fmt.Errorf("%s is %q, must be a number from 0 to %d", name, value, maxWeight)
		}
		if n == 0 && name != "fault" {
			// Every consequence and every ordinary event must be possible in a walk, or the walk
			// calls states dead that only it cannot leave.
			return w, fmt.Errorf("%s is 0, must be at least 1: walks could not recover", name)
		}
		*fields[i].value = n
	}
	return w, nil
}

// WeightsText is what [ParseWeights] reads.
func WeightsText(w search.Weights) string {
	var parts []string
	for _, f := range weightFields(&w) {
		parts = append(parts, fmt.Sprintf("%s=%d", f.name, *f.value))
	}
	return strings.Join(parts, ",")
}

// FillWeights fills the defaults in for weights that a bug leaves out.
func FillWeights(w spec.Weights) search.Weights {
	out := search.DefaultWeights()
	given := []int{w.Action, w.Message, w.Timer, w.Consequence, w.Fault}
	for i, f := range weightFields(&out) {
		if given[i] != 0 {
			*f.value = given[i]
		}
	}
	return out
}
