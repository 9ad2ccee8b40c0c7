package check

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/macemc/macemc/internal/pathfile"
	"github.com/macemc/macemc/search"
	"github.com/macemc/macemc/systems"
)

// The conditions under which a run was judged are written into its path file once, and read from it.
func TestHeaderSaysHowItWasJudged(t *testing.T) {
	usual, own := search.DefaultWeights(), search.Weights{Action: 1, Message: 2, Timer: 3, Consequence: 4}
	system := pathfile.Param{Key: "resend", Value: "1"}
	for _, c := range []struct {
		property string
		weights  search.Weights
		want     []pathfile.Param
	}{
		{"", search.Weights{}, []pathfile.Param{system}},
		{"", usual, []pathfile.Param{system}},
		{"p", own, []pathfile.Param{system, {Key: "only-property", Value: "p"}, {Key: "walk-weights", Value: "action=1,message=2,timer=3,consequence=4,fault=0"}}},
	} {
		o := checker{Options: Options{Header: pathfile.Header{Params: []pathfile.Param{system}}}}
		for range 2 { // the parsed header is written again
			o.Search.Property, o.Search.Weights = c.property, c.weights
			h := o.header()
			if !slices.Equal(h.Params, c.want) {
				t.Errorf("%+v: %v, want %v", c, h.Params, c.want)
			}
			o.Header = h
		}
		l := Loaded{Header: o.Header}
		params, property, _ := SplitParams(&l.Header)
		if w := l.weights(); len(params) != 1 || property != c.property || w != c.weights && w != (search.Weights{}) {
			t.Errorf("%+v: read as %v, %q, %+v", c, params, property, w)
		}
		if o := (&ShrinkOptions{}).options(&l); o.Search.Weights != l.weights() {
			t.Errorf("shrinking walks by %+v, want %+v", o.Search.Weights, l.weights())
		}
	}
}

func TestHeaderWithBadWeights(t *testing.T) {
	h := pathfile.Header{System: "pingack", Nodes: 2, Params: []pathfile.Param{{Key: weightsParam, Value: "timer=0"}}}
	_, err := FromHeader(systems.All(), h)
	var at *HeaderError
	if !errors.As(err, &at) || at.Value != weightsParam || !strings.Contains(err.Error(), "timer is 0, must be at least 1") {
		t.Errorf("%v", err)
	}
}
