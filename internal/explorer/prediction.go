package explorer

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/macemc/macemc/internal/agents"
	"github.com/macemc/macemc/internal/explorer/summary"
	"github.com/macemc/macemc/internal/predict"
	"github.com/macemc/macemc/internal/testsched"
	"github.com/macemc/macemc/internal/testsched/program"
)

// predictions describes the predictions of an exploration.
type predictions struct {
	predicted  int                 // number of cycles and flips
	tried      int                 // number of them that a directed run has executed
	operations int                 // of the longest recorded run
	passing    []passingPrediction // the first maxListed ones
	others     int                 // number of passing directed runs of other predictions
	prediction *predict.Prediction // of the finding; nil means none
	delayed    *delayFailure       // the first one that recurs; nil means none
	places     map[uint64]string   // positions of the operations
}

// passingPrediction is a cycle or flip with the number of directed runs that tried it and passed.
type passingPrediction struct {
	prediction *predict.Prediction
	runs       int
}

// counts counts the predictions of an exploration with a finding; nil means that it has none.
func (p *predictions) counts(finding *testsched.Outcome) (c summary.Predictions) {
	c.Predicted, c.Tried = p.predicted, p.tried
	switch {
	case p.prediction == nil || finding == nil:
	case p.confirms(finding):
		c.Confirmed = 1
	default:
		c.Others = 1
	}
	if p.operations > predict.MaxEvents {
		c.Cut = 1
	}
	return c
}

// confirms reports whether a finding is the predicted one. A sampled schedule with holds may have found it without them. It confirms only
// predictions that have an Effect.
func (p *predictions) confirms(o *testsched.Outcome) bool {
	x := p.prediction
	switch x.Effect {
	case predict.Blocks:
		more := len(o.Details) > 0 && strings.HasPrefix(o.Details[len(o.Details)-1], "and ") // further goroutines are not listed
		return (o.Kind == testsched.Deadlock || o.Kind == testsched.Leak) && !slices.ContainsFunc(x.Pairs, func(pair predict.Pair) bool {
			at := " at " + p.places[pair[1].Place]
			return !more && !slices.ContainsFunc(o.Details, func(line string) bool { return strings.Contains(line+" ", at+" ") })
		})
	case predict.Panics:
		return o.Kind == testsched.Panic && strings.Contains(o.Message, "closed channel")
	}
	return !x.Carried
}

// maxListed is the maximum number of unconfirmed predictions that are listed.
const maxListed = 3

// pass records that a directed run has passed.
func (p *predictions) pass(x *predict.Prediction) {
	k := slices.IndexFunc(p.passing, func(u passingPrediction) bool {
		return u.prediction.What == x.What && slices.EqualFunc(u.prediction.Pairs, x.Pairs, samePlaces)
	})
	switch {
	case k >= 0:
		p.passing[k].runs++
	case len(p.passing) < maxListed:
		p.passing = append(p.passing, passingPrediction{x, 1})
	default:
		p.others++
	}
}

// samePlaces reports whether two pairs differ at most in their goroutines.
func samePlaces(a, b predict.Pair) bool {
	for i := range a {
		a[i].Who = b[i].Who
	}
	return a == b
}

// list returns lines about predictions: their numbers, and the unconfirmed ones.
func (p *predictions) list() (lines []string) {
	if p.predicted > 0 {
		text := summary.Predictions{Predicted: p.predicted, Tried: p.tried}.String()
		if p.operations > predict.MaxEvents {
			text += fmt.Sprintf(", recorded %d of %d operations", predict.MaxEvents, p.operations)
		}
		lines = append(lines, text)
	}
	for _, u := range p.passing {
		lines = append(lines, fmt.Sprintf("not confirmed by %s: %s (%s)", program.Plural(u.runs, "directed schedule", "directed schedules"),
			u.prediction.What, strings.Join(describePairs(u.prediction, p.places), "; ")))
	}
	if p.others > 0 {
		lines = append(lines, fmt.Sprintf("and by %d more for other predictions", p.others))
	}
	return lines
}

// predictedLines returns lines with the operations of a cycle, or of a read lock requested again. It returns none for a flip.
func predictedLines(x *predict.Prediction, places map[uint64]string) (lines []string) {
	if x == nil || len(x.Pairs) < 2 {
		return nil
	}
	what, _, _ := strings.Cut(x.What, " of ") // without the number of locks
	for _, text := range describePairs(x, places) {
		lines = append(lines, "  "+what+": "+text)
	}
	return lines
}

// describePairs describes the operations of a prediction, without repetitions.
func describePairs(x *predict.Prediction, places map[uint64]string) (texts []string) {
	for _, pair := range x.Pairs {
		text := pairText(pair, places)
		if !slices.Contains(texts, text) {
			texts = append(texts, text)
		}
	}
	return texts
}

func pairText(pair predict.Pair, places map[uint64]string) string {
	if pair[0] == pair[1] {
		return operationText(pair[0], places)
	}
	return operationText(pair[0], places) + ", then " + operationText(pair[1], places)
}

func operationText(o predict.Operation, places map[uint64]string) string {
	text := program.Op(o.Op).String()
	if o.Place == 0 {
		return text + " in the standard library"
	}
	return text + " at " + places[o.Place]
}

// by describes how a finding was found: by the prediction, or by a policy.
func (p *predictions) by(policy testsched.Policy) string {
	if x := p.prediction; x != nil {
		text := fmt.Sprintf("predicted from schedule %d: %s", x.Run, x.What)
		if x.Carried {
			text = policy.Strategy() + " and a pause " + text
		}
		if x.Delay > 0 {
			text += fmt.Sprintf(", where a goroutine is held for %v", time.Duration(x.Delay).Round(time.Millisecond))
		}
		return text
	}
	return policy.Strategy()
}

// locate finds the positions of the operations of all predictions that a report may show.
func (p *predictions) locate(runner testsched.Runner) {
	var all []*predict.Prediction
	for _, u := range p.passing {
		all = append(all, u.prediction)
	}
	if p.prediction != nil {
		all = append(all, p.prediction)
	}
	if p.delayed != nil && p.delayed.prediction != nil {
		all = append(all, p.delayed.prediction)
	}
	var at []uintptr
	for _, x := range all {
		for _, pair := range x.Pairs {
			for _, o := range pair {
				at = append(at, uintptr(o.Place))
			}
		}
	}
	p.places = map[uint64]string{}
	if r, ok := runner.(*agents.Runner); ok && len(at) > 0 {
		for i, place := range r.Locate(at) {
			p.places[uint64(at[i])] = place
		}
	}
}
