package check

import (
	"slices"

	"github.com/macemc/macemc/internal/check/walkweights"
	"github.com/macemc/macemc/internal/pathfile"
	"github.com/macemc/macemc/search"
	"github.com/macemc/macemc/sim"
)

// Besides the system's parameters, path files record the conditions under which a run was judged.
const (
	onlyParam    = "only-property" // the only checked property: with others, a run may end earlier
	weightsParam = "walk-weights"  // of walks, if not the defaults: with others, a dead run may recover
)

// SplitParams splits the parameters in a path file's header into those of the system, the only checked property and
// the weights of walks. An empty string means that the header does not contain it.
func SplitParams(h *pathfile.Header) (system []pathfile.Param, property, weights string) {
	for _, p := range h.Params {
		switch p.Key {
		case onlyParam:
			property = p.Value
		case weightsParam:
			weights = p.Value
		default:
			system = append(system, p)
		}
	}
	return system, property, weights
}

// only restricts the system to the only checked property, if the header names one.
func only(sys sim.System, h *pathfile.Header) (sim.System, error) {
	_, name, _ := SplitParams(h)
	if name == "" {
		return sys, nil
	}
	as, err := sys.Only(name)
	if err != nil {
		return sys, &HeaderError{"param", onlyParam, err}
	}
	return as, nil
}

// walkWeights returns the weights of walks in the header; zero means the defaults.
func walkWeights(h *pathfile.Header) (w search.Weights, err error) {
	_, _, text := SplitParams(h)
	if text == "" {
		return w, nil
	}
	if w, err = walkweights.Parse(text, w); err != nil {
		return w, &HeaderError{"param", weightsParam, err}
	}
	return w, nil
}

// weights returns the weights of the file's walks; zero means the defaults.
func (l *Loaded) weights() search.Weights {
	w, _ := walkWeights(&l.Header) // checked when the file was read
	return w
}

// setParam replaces a parameter, or adds it.
func setParam(h *pathfile.Header, key, value string) {
	h.Params = slices.DeleteFunc(slices.Clone(h.Params), func(p pathfile.Param) bool { return p.Key == key })
	h.Params = append(h.Params, pathfile.Param{Key: key, Value: value})
}

// header returns the header of path files except for the fields that depend on the path.
func (c *checker) header() pathfile.Header {
	h := c.Header
	if name := c.Search.Property; name != "" {
		setParam(&h, onlyParam, name)
	}
	if w := c.Search.Weights; w != (search.Weights{}) && w != search.DefaultWeights() {
		setParam(&h, weightsParam, walkweights.Text(w))
	}
	return h
}
