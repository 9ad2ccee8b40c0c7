package bubble

import (
	"fmt"
	"math/bits"
	"reflect"
	"runtime"
	"slices"
	"strings"

	"github.com/macemc/macemc/bubble/internal/pkgvars"
	"github.com/macemc/macemc/bubble/internal/userframes"
	"github.com/macemc/macemc/internal/simext"
	"github.com/macemc/macemc/sim"
)

// effectID identifies an effect by its hash, its goroutine, its stack and its kind.
type effectID struct {
	mark    uint64 // hash of kind and content
	by      uint64 // the goroutine
	stack   uint32 // see stackOf
	kind    effectKind
	refused bool // see effect
}

// same reports whether both effects have the same content.
func (a effectID) same(b effectID) bool { return a.mark == b.mark }

// effectIDs appends the IDs of the effects of the last step to dst.
func (n *node) effectIDs(dst []effectID) []effectID {
	dst = slices.Grow(dst, len(n.effects))
	for i := range n.effects {
		e := &n.effects[i]
		dst = append(dst, effectID{e.mark(), e.by, e.stack, e.kind, e.refused})
	}
	return dst
}

// effectStacks holds the distinct stacks of effects. It is guarded by the lock stepping.
var effectStacks = struct {
	numbers map[uint64]uint32 // by hash
	all     [][stackDepth]uintptr
	latest  [stackDepth]uintptr // here, because a local variable would escape
	recent  [64]struct {        // cache of numbers
		hash   uint64
		number uint32
	}
}{numbers: map[uint64]uint32{}}

const stackDepth = 32

// stackNumber returns the number of the stack of the calling goroutine.
func stackNumber() uint32 {
	s := &effectStacks
	depth, hash := callers(s.latest[:]), uint64(0)
	for _, pc := range s.latest[:depth] {
		hash = bits.RotateLeft64((hash^uint64(pc))*0x9e3779b97f4a7c15, 31)
	}
	cached := &s.recent[hash%uint64(len(s.recent))]
	if cached.hash == hash {
		return cached.number
	}
	number, ok := s.numbers[hash]
	if !ok {
		clear(s.latest[depth:])
		number = uint32(len(s.all))
		s.numbers[hash], s.all = number, append(s.all, s.latest)
	}
	cached.hash, cached.number = hash, number
	return number
}

// stackOf returns the program's own frames of the stack with that number, innermost first.
func stackOf(number uint32) []runtime.Frame { return framesOf(effectStacks.all[number][:]) }

// Compare implements [simext.Comparer].
func (p *Program) Compare(other sim.Service) []string {
	o, ok := other.(*Program)
	if !ok {
		return nil
	}
	stepping.Lock()
	defer stepping.Unlock()
	a, b := p.goroutines.inputs(), o.goroutines.inputs()
	for i := range min(len(a), len(b)) {
		if a[i].hash == b[i].hash {
			if reflect.DeepEqual(a[i].seen, b[i].seen) {
				continue
			}
			return observed(o.goroutines.at(b[i]), p.goroutines.at(a[i]))
		}
		if a[i].next != b[i].next && slices.EqualFunc(a[i].effectIDs(), b[i].effectIDs(), effectID.same) {
			return []string{fmt.Sprintf("%v: the next timer is at %s in one execution and at %s in the other", a[i], clockTime(b[i].next),
				clockTime(a[i].next))}
		}
		k := 0
		for k < min(len(a[i].effectIDs()), len(b[i].effectIDs())) && a[i].effectIDs()[k].same(b[i].effectIDs()[k]) {
			k++
		}
		return firstDifference(b[i].effectIDs(), a[i].effectIDs(), k)
	}
	return nil
}

// at returns the history up to an input of it.
func (p *history) at(in *input) *history {
	if in == p.last {
		return p
	}
	return &history{program: p.program, command: p.command, last: in}
}

// mostObserved is the maximum number of executions of a history that search for one in which the program shows the same value again.
const mostObserved = 16

// observed describes a step after which Observe returned different values in two executions: the goroutines of the node then, and the
// package variables of the functions in which they are. An execution that shows the same value again stands for one that is over.
func observed(before, again *history) []string {
	lines := []string{fmt.Sprintf("%v: Observe returned %+v in one execution and %+v in the other", again.last, before.last.seen,
		again.last.seen)}
	var frames []runtime.Frame
	for i, p := range []*history{before, again} {
		for range mostObserved {
			r, err := p.resume()
			if err == nil && reflect.DeepEqual(r.n.fresh, p.last.seen) {
				all := userframes.Running(r.n.bubble, stacksOf)
				lines = append(lines, fmt.Sprintf("goroutines in %s execution: %s", []string{"one", "the other"}[i],
					strings.ReplaceAll(userframes.Describe(all), simext.BetweenGoroutines, ", ")))
				for _, g := range all {
					frames = append(frames, userframes.Of(g.Frames)...)
				}
				break
			}
			p = &history{program: p.program, command: p.command, last: p.last}
		}
	}
	if names := pkgvars.Changed(frames); len(names) > 0 {
		lines = append(lines, "package variables there: "+strings.Join(names, ", "))
	}
	return lines
}

// inputs returns the inputs since the boot, in order.
func (p *history) inputs() (all []*input) {
	for in := p.last; in != nil; in = in.before {
		all = append(all, in)
	}
	slices.Reverse(all)
	return all
}

// firstDifference describes effect k of a step, which differs between two executions: the goroutine and the place. It also lists the
// package variables of the functions there.
func firstDifference(before, again []effectID, k int) []string {
	var texts [2]string
	var frames []runtime.Frame
	for i, ids := range [2][]effectID{before, again} {
		texts[i] = "no goroutine does anything more"
		if k < len(ids) {
			stack := stackOf(ids[k].stack)
			frames = append(frames, stack...)
			texts[i] = fmt.Sprintf("goroutine %d %s%s", ids[k].by, ids[k].kind.verb(), userframes.Text(stack))
		}
	}
	lines := []string{"in one execution " + texts[0], "in the other " + texts[1]}
	if texts[0] == texts[1] {
		lines = []string{"in both executions " + texts[0] + ", with other content"}
	}
	if names := pkgvars.Changed(frames); len(names) > 0 {
		lines = append(lines, "package variables there: "+strings.Join(names, ", "))
	}
	return lines
}
