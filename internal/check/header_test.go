package check

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/macemc/macemc/choose"
	"github.com/macemc/macemc/search"
	"github.com/macemc/macemc/systems"
)

// The conditions under which a run was judged are written into its path file once, and read from it.
func TestHeaderSaysHowItWasJudged(t *testing.T) {
	usual, own := search.DefaultWeights(), search.Weights{Action: 1, Message: 2, Timer: 3, Consequence: 4}
	system := choose.Param{Key: "resend", Value: "1"}
	for _, c := range []struct {
		property string
		weights  search.Weights
		want     []choose.Param
	}{
		{"", search.Weights{}, []choose.Param{system}},
		{"", usual, []choose.Param{system}},
		{"p", own, []choose.Param{system, {Key: "only-property", Value: "p"}, {Key: "walk-weights", Value: "action=1,message=2,timer=3,consequence=4,fault=0"}}},
	} {
		o := Options{Header: choose.Header{Params: []choose.Param{system}}}
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
	h := choose.Header{System: "pingack", Nodes: 2, Params: []choose.Param{{Key: weightsParam, Value: "timer=0"}}}
	_, err := FromHeader(systems.All(), h)
	var at *HeaderError
	if !errors.As(err, &at) || at.Value != weightsParam || !strings.Contains(err.Error(), "timer is 0, must be at least 1") {
		t.Errorf("%v", err)
	}
}
