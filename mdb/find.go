package mdb

import (
	"bytes"
	"context"
	"fmt"
	"regexp"
	"strings"

	"github.com/macemc/macemc/replay"
	"github.com/macemc/macemc/sim"
	"github.com/macemc/macemc/sim/plan"
)

func findCommands() []command {
	const what = `find event REGEXP       a step whose event matches
find message REGEXP     a step that sends, receives or loses such a message
find choice [REGEXP]    a step in which something was chosen, with such a label
find live | dead        a step after which the state is live, or ceases to be
find property REGEXP    a step after which such a property begins or ceases to hold
find FIELD [CONDITION]  a step after which a field of the state meets a condition that it did not meet before

FIELD is a path like n2.Parent, or Parent for the nodes alike; it stands for all fields below, too. A timer is
n0.(timer resend). CONDITION is "changes" (when there is none), or one of == != < <= > >= with a value, or ~ with a
regular expression. A value like joined(2) is met by joined and by 2.`
	words := func(s *Session) []string {
		return append([]string{"event", "message", "choice", "live", "dead", "property"}, s.fieldWords()...)
	}
	return []command{
		{
			name: "find", aliases: []string{"f"}, group: finding, args: "WHAT", about: "go to the next step that matches", more: what,
			do: func(s *Session, ctx context.Context, args []string, out *bytes.Buffer) error {
				return s.find(ctx, args, 1, out)
			},
			words: words,
		},
		{
			name: "rfind", aliases: []string{"r"}, group: finding, args: "WHAT", about: "go to the previous step that matches", more: strings.ReplaceAll(what, "find ", "rfind "),
			do: func(s *Session, ctx context.Context, args []string, out *bytes.Buffer) error {
				return s.find(ctx, args, -1, out)
			},
			words: words,
		},
		{
			name: "again", aliases: []string{"a"}, group: finding, about: "repeat the last find or rfind",
			do: func(s *Session, ctx context.Context, _ []string, out *bytes.Buffer) error {
				if s.last == "" {
					return badUsage("nothing was searched for yet")
				}
				return s.Do(ctx, s.last, out)
			},
		},
		{
			name: "list", aliases: []string{"l"}, group: finding, args: "[FROM [TO]] [NODE] [kind=KIND] [/REGEXP/]",
			about: "steps around here, or all that match",
			more: "list                 the steps around here\nlist 10 40           steps 10 to 40\nlist n2 kind=deliver  what node 2 receives\nlist /Join/          events that match\n" +
				"Kinds are boot, action, timer, error, ready, deliver, heal, crash, lose, duplicate, break, partition.\n" +
				"In the list > is where we are, C the critical transition, + a live state.",
			do: list, words: (*Session).nodeWords,
		},
	}
}

// find goes to the nearest step in a direction that matches.
func (s *Session) find(ctx context.Context, args []string, direction int, out *bytes.Buffer) error {
	if len(args) == 0 {
		return badUsage("find what?")
	}
	test, err := s.test(args)
	if err != nil {
		return err
	}
	name := "find "
	if direction < 0 {
		name = "rfind "
	}
	s.last = name + requote(args)
	n, err := test.search(ctx, s.run, direction)
	if err != nil {
		return err
	}
	if n == 0 {
		where := "after"
		if direction < 0 {
			where = "before"
		}
		return fmt.Errorf("no step %s step %d matches %s", where, s.run.at, strings.Join(args, " "))
	}
	return s.to(n, out)
}

// requote writes words so that split reads them again.
func requote(words []string) string {
	quoted := make([]string, len(words))
	for i, w := range words {
		switch {
		case len(w) > 1 && w[0] == '/' && strings.HasSuffix(w, "/") || w != "" && !strings.ContainsAny(w, " ;'\"/#\t"):
			quoted[i] = w
		case strings.Contains(w, "'"):
			quoted[i] = `"` + w + `"`
		default:
			quoted[i] = "'" + w + "'"
		}
	}
	return strings.Join(quoted, " ")
}

// test says which steps are looked for. One of its functions is set.
type test struct {
	info  func(n int) bool               // from what is kept of steps
	world func(n int, w sim.World) bool  // in the state after step n, called in order
	first func(w sim.World)              // before the first of a row of steps, for world
	trace func(t *replay.TraceStep) bool // from the whole description
	maybe func(n int) bool               // for trace: whether the step can match at all
}

func (s *Session) test(args []string) (*test, error) {
	r := s.run
	rest := args[1:]
	switch args[0] {
	case "event":
		re, err := wanted(rest)
		if err != nil {
			return nil, err
		}
		return &test{info: func(n int) bool { return matchesStep(re, r.step(n)) }}, nil
	case "message":
		re, err := wanted(rest)
		if err != nil {
			return nil, err
		}
		return s.messageTest(re)
	case "choice":
		re, err := pattern(rest...)
		if err != nil {
			return nil, err
		}
		return &test{
			maybe: func(n int) bool { return r.step(n).picks > 0 },
			trace: func(t *replay.TraceStep) bool {
				for _, c := range t.Choices {
					if replay.Notable(c) && re.MatchString(c.Label) {
						return true
					}
				}
				return false
			},
		}, nil
	case "live", "dead":
		if len(rest) > 0 {
			break
		}
		want := args[0] == "live"
		return &test{info: func(n int) bool { return r.step(n).live == want && r.step(n-1).live != want }}, nil
	case "property":
		re, err := wanted(rest)
		if err != nil {
			return nil, err
		}
		mask, some := uint64(0), false
		for i, p := range s.sys.Properties {
			if re.MatchString(p.Name) && i < 64 {
				mask, some = mask|1<<i, true
			}
		}
		if !some {
			return nil, fmt.Errorf("no property matches %s; \"properties\" lists them", strings.Join(rest, " "))
		}
		return &test{info: func(n int) bool { return (r.step(n).failing^r.step(n-1).failing)&mask != 0 }}, nil
	}
	return s.fieldTest(args[0], rest)
}

func wanted(words []string) (*regexp.Regexp, error) {
	if len(words) == 0 {
		return nil, badUsage("a regular expression is missing")
	}
	return pattern(words...)
}

func matchesStep(re *regexp.Regexp, s *stepInfo) bool {
	return re.MatchString(s.key) || re.MatchString(s.String())
}

// messageTest finds steps that send such a message, or whose event is about one.
func (s *Session) messageTest(re *regexp.Regexp) (*test, error) {
	plans, err := plan.NewSet(s.sys.State...)
	if err != nil {
		return nil, err
	}
	r := s.run
	return &test{world: func(n int, w sim.World) bool {
		switch info := r.step(n); info.ev.Kind {
		case sim.Deliver, sim.Lose, sim.Duplicate:
			if matchesStep(re, info) {
				return true
			}
		}
		for i := range w.Last().Effects {
			f := &w.Last().Effects[i]
			if !f.Kind.Carries() {
				continue
			}
			p, err := plans.Of(f.Msg.Body)
			if err != nil {
				continue
			}
			if text := p.Text(f.Msg.Body); re.MatchString(text) || re.MatchString(replay.Brief(text)) {
				return true
			}
		}
		return false
	}}, nil
}

// fieldTest finds steps after which a field meets a condition that it did not meet before.
func (s *Session) fieldTest(field string, words []string) (*test, error) {
	sel, err := s.selector(field)
	if err != nil {
		return nil, err
	}
	cond, err := condition(words)
	if err != nil {
		return nil, err
	}
	values := make([][]sim.Field, s.sys.Nodes) // that are selected, per node
	r := s.run
	return &test{
		first: func(w sim.World) {
			for id := range values {
				values[id] = sel.fields(w, sim.NodeID(id))
			}
		},
		world: func(n int, w sim.World) bool {
			id := r.step(n).ev.Node // handlers change their own node only
			if id < 0 || !sel.node(int(id)) {
				return false
			}
			old := values[id]
			values[id] = sel.fields(w, id)
			for _, c := range plan.Diff(old, values[id]) {
				if cond == nil || c.New != "" && cond(c.New) && (c.Old == "" || !cond(c.Old)) {
					return true
				}
			}
			return false
		},
	}, nil
}

// selector picks fields of node states.
type selector struct {
	only int // node; -1: all
	path string
}

// selector reads n2.Parent, or Parent.
func (s *Session) selector(word string) (selector, error) {
	sel := selector{-1, word}
	if node, path, ok := strings.Cut(word, "."); ok && len(node) > 1 && node[0] == 'n' {
		if id, err := s.nodeID(node); err == nil {
			sel = selector{id, path}
		}
	}
	if sel.path == "" {
		return sel, badUsage("%q names no field", word)
	}
	return sel, nil
}

func (f selector) node(id int) bool { return f.only < 0 || f.only == id }

func (f selector) fields(w sim.World, id sim.NodeID) []sim.Field {
	if !f.node(int(id)) {
		return nil
	}
	var out []sim.Field
	for _, field := range w.NodeFields(id) {
		if f.matches(field.Path) {
			out = append(out, field)
		}
	}
	return out
}

// matches reports whether a path is the selector's, lies below it, or does so behind some first part.
func (f selector) matches(path string) bool {
	for rest := path; ; {
		if after, ok := strings.CutPrefix(rest, f.path); ok && (after == "" || strings.ContainsRune(".[(", rune(after[0]))) {
			return true
		}
		i := strings.IndexByte(rest, '.')
		if i < 0 || rest[0] == '(' {
			// A timer or a place on disk can be named without its brackets.
			inner, want := strings.Trim(path, "()"), strings.Trim(f.path, "()")
			return path[0] == '(' && (inner == want || strings.HasPrefix(inner, want+"{"))
		}
		rest = rest[i+1:]
	}
}

// condition reads a condition on a field's text; nil: any change.
func condition(words []string) (func(string) bool, error) {
	if len(words) == 0 || len(words) == 1 && words[0] == "changes" {
		return nil, nil
	}
	op, value := words[0], strings.Join(words[1:], " ")
	for _, o := range []string{"==", "!=", "<=", ">=", "<", ">", "~", "="} {
		if rest, ok := strings.CutPrefix(op, o); ok {
			op, value = o, strings.TrimSpace(rest+" "+value)
			break
		}
	}
	if value == "" {
		return nil, badUsage("%q lacks a value", strings.Join(words, " "))
	}
	switch op {
	case "==", "=":
		return func(v string) bool { return equal(v, value) }, nil
	case "!=":
		return func(v string) bool { return !equal(v, value) }, nil
	case "~":
		re, err := pattern(value)
		if err != nil {
			return nil, err
		}
		return re.MatchString, nil
	case "<", "<=", ">", ">=":
		want, ok := number(value)
		if !ok {
			return nil, badUsage("%q is no number", value)
		}
		return func(v string) bool {
			x, ok := number(v)
			switch op {
			case "<":
				return ok && x < want
			case "<=":
				return ok && x <= want
			case ">":
				return ok && x > want
			}
			return ok && x >= want
		}, nil
	}
	return nil, badUsage("%q is no condition: changes, or == != < <= > >= ~ and a value", strings.Join(words, " "))
}

// equal compares a field's text with what was asked for: "joined(2)" is equal to "joined" and "2".
func equal(text, want string) bool {
	if text == want || text == `"`+want+`"` {
		return true
	}
	name, inside, ok := strings.Cut(text, "(")
	return ok && strings.HasSuffix(inside, ")") && (name == want || inside[:len(inside)-1] == want)
}

// number reads a number, which may stand in brackets behind a name.
func number(text string) (float64, bool) {
	if _, inside, ok := strings.Cut(text, "("); ok {
		text = strings.TrimSuffix(inside, ")")
	}
	var x float64
	n, err := fmt.Sscanf(text+" ", "%g ", &x)
	return x, n == 1 && err == nil
}

// search returns the nearest step in a direction that matches, 0 when there is none.
func (t *test) search(ctx context.Context, r *run, direction int) (int, error) {
	if t.world != nil {
		if direction > 0 {
			return t.scan(ctx, r, r.at+1, r.len(), false)
		}
		// Backward in parts, each forward.
		size := max(windowSteps, r.cursor.Distance())
		for end := r.at - 1; end > 0; {
			from := max(1, end-size+1)
			n, err := t.scan(ctx, r, from, end, true)
			if n > 0 || err != nil {
				return n, err
			}
			end = from - 1
			size *= 2 // states that are not kept are reached from the start each time
		}
		return 0, nil
	}
	for n := r.at + direction; n > 0 && n <= r.len(); n += direction {
		if n%1024 == 0 && ctx.Err() != nil {
			return 0, ctx.Err()
		}
		if t.info != nil {
			if t.info(n) {
				return n, nil
			}
			continue
		}
		if !t.maybe(n) {
			continue
		}
		step, err := r.trace(n)
		if err != nil {
			return 0, err
		}
		if t.trace(step) {
			return n, nil
		}
	}
	return 0, nil
}

// scan executes steps from..to and returns the first that matches, or the last of them.
func (t *test) scan(ctx context.Context, r *run, from, to int, last bool) (found int, err error) {
	if from > to {
		return 0, nil
	}
	w, err := r.world(from - 1)
	if err != nil {
		return 0, err
	}
	if t.first != nil {
		t.first(w)
	}
	for n := from; n <= to; n++ {
		if n%1024 == 0 && ctx.Err() != nil {
			return 0, ctx.Err()
		}
		if w, err = r.world(n); err != nil {
			return 0, err
		}
		if t.world(n, w) {
			if found = n; !last {
				return found, nil
			}
		}
	}
	return found, nil
}

// list shows steps.
func list(s *Session, _ context.Context, args []string, out *bytes.Buffer) error {
	const around, most = 10, 60
	r := s.run
	var (
		bounds []int
		node   = -1
		kind   = ""
		re     *regexp.Regexp
	)
	for _, a := range args {
		switch {
		case strings.HasPrefix(a, "kind="):
			kind = strings.TrimPrefix(a, "kind=")
			if _, ok := sim.ParseEventKind(kind); !ok {
				return badUsage("there is no kind of event %q", kind)
			}
		case len(a) > 1 && a[0] == 'n' && a[1] >= '0' && a[1] <= '9':
			n, err := s.nodeID(a)
			if err != nil {
				return err
			}
			node = n
		case a == "." && s.node >= 0:
			node = s.node
		case strings.HasPrefix(a, "/"):
			p, err := pattern(a)
			if err != nil {
				return err
			}
			re = p
		default:
			n, err := s.place(a)
			if err != nil {
				return err
			}
			bounds = append(bounds, n)
		}
	}
	filtered := node >= 0 || kind != "" || re != nil
	from, to := 1, r.len()
	switch {
	case len(bounds) > 2:
		return badUsage("more than two steps")
	case len(bounds) == 2:
		from, to = max(0, bounds[0]), bounds[1]
	case len(bounds) == 1:
		from = bounds[0]
		if !filtered {
			to = min(to, from+2*around)
		}
	case !filtered:
		from, to = max(0, r.at-around), min(to, r.at+around)
	}
	shown, more := 0, 0
	for n := from; n <= to; n++ {
		info := r.step(n)
		if filtered && (n == 0 || node >= 0 && !s.touches(n, node) || kind != "" && info.ev.Kind.String() != kind || re != nil && !matchesStep(re, info)) {
			continue
		}
		if shown == most && len(bounds) < 2 {
			more++
			continue
		}
		shown++
		fmt.Fprintln(out, s.listLine(r, n))
	}
	if more > 0 {
		fmt.Fprintf(out, "and %d more; say FROM and TO to see them\n", more)
	}
	if shown == 0 {
		fmt.Fprintln(out, "no step matches")
	}
	return nil
}

// listLine is step n in one line.
func (s *Session) listLine(r *run, n int) string {
	marks := []byte("   ")
	if n == r.at {
		marks[0] = '>'
	}
	if n == r.critical && n > 0 {
		marks[1] = 'C'
	}
	if r.step(n).live {
		marks[2] = '+'
	}
	text := "the first state"
	if n > 0 {
		text = r.step(n).String()
	}
	return fmt.Sprintf("%s%*d  %s", marks, max(3, len(fmt.Sprint(r.len()))), n, text)
}
