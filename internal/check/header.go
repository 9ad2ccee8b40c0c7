package check

import (
	"slices"

	"github.com/macemc/macemc/choose"
	"github.com/macemc/macemc/search"
	"github.com/macemc/macemc/sim"
)

// Path files say by parameters beside those of the system by what a run was judged.
const (
	onlyParam    = "only-property" // the property that alone was checked: with others, a run may end earlier
	weightsParam = "walk-weights"  // of walks, when not the defaults: with others, a dead run may recover
)

// SplitParams parts the parameters in a path file's header: those of the system, the property that alone was checked,
// and the weights of walks; "" when the header does not say.
func SplitParams(h *choose.Header) (system []choose.Param, property, weights string) {
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

// only is the system with no property but the one that the header says was checked alone, if it does.
func only(sys sim.System, h *choose.Header) (sim.System, error) {
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

// walkWeights are the weights that the header says walks had; zero: the defaults.
func walkWeights(h *choose.Header) (w search.Weights, err error) {
	_, _, text := SplitParams(h)
	if text == "" {
		return w, nil
	}
	if w, err = ParseWeights(text, w); err != nil {
		return w, &HeaderError{"param", weightsParam, err}
	}
	return w, nil
}

// weights are those of the file's walks; zero: the defaults.
func (l *Loaded) weights() search.Weights {
	w, _ := walkWeights(&l.Header) // it was checked when the file was read
	return w
}

// setParam replaces a parameter, or adds it.
func setParam(h *choose.Header, key, value string) {
	h.Params = slices.DeleteFunc(slices.Clone(h.Params), func(p choose.Param) bool { return p.Key == key })
	h.Params = append(h.Params, choose.Param{Key: key, Value: value})
}

// header is that of the path files, but for what it says of the path.
func (o *Options) header() choose.Header {
	h := o.Header
	if name := o.Search.Property; name != "" {
		setParam(&h, onlyParam, name)
	}
	if w := o.Search.Weights; w != (search.Weights{}) && w != search.DefaultWeights() {
		setParam(&h, weightsParam, WeightsText(w))
	}
	return h
}
