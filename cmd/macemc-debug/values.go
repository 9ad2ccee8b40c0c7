package main

import (
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/go-delve/delve/pkg/proc"
	"github.com/go-delve/delve/service/api"

	"github.com/macemc/macemc/internal/inspect"
)

// Bounds of values and stacks.
var (
	shown   = proc.LoadConfig{FollowPointers: true, MaxVariableRecurse: 2, MaxStringLen: 200, MaxArrayValues: 64, MaxStructFields: -1}
	members = proc.LoadConfig{FollowPointers: true, MaxVariableRecurse: 1, MaxStringLen: 2000, MaxArrayValues: 1000, MaxStructFields: -1}
)

const depth = 200

// reader reads the variables of a process that has stopped.
type reader struct{ *process }

// waitHeld is macemcWaitHeld, the reason for which a goroutine waits that the schedule of its node holds back.
const waitHeld = 100

// goroutine is a goroutine of the test.
type goroutine struct {
	id     int64
	number int
	g      *proc.G
}

// list returns the goroutines of the test.
func (p reader) list() ([]goroutine, error) {
	if p.group == nil || p.stop.Reason == "" {
		return nil, errors.New("the test has not begun here")
	}
	if p.ids != nil {
		return p.ids, nil
	}
	all, _, err := proc.GoroutinesInfo(p.group.Selected, 0, 0)
	if err != nil {
		return nil, err
	}
	for _, g := range all {
		if n := p.numberOf(g); n > 0 {
			p.ids = append(p.ids, goroutine{g.ID, n, g})
		}
	}
	slices.SortFunc(p.ids, func(a, b goroutine) int { return a.number - b.number })
	return p.ids, nil
}

// id returns the identifier of a goroutine with a number in the test; 0 means the goroutine that has stopped.
func (p reader) id(number int) (int64, error) {
	if (number == 0 || number == p.stop.Goroutine) && p.selected != 0 {
		return p.selected, nil
	}
	list, err := p.list()
	if err != nil {
		return 0, err
	}
	for _, g := range list {
		if g.number == number {
			return g.id, nil
		}
	}
	return 0, fmt.Errorf("the goroutine has not started here, or it has ended")
}

func (p reader) goroutines() (result []inspect.Goroutine, err error) {
	list, err := p.list()
	for _, g := range list {
		one := inspect.Goroutine{Number: g.number, Held: g.g.WaitReason == waitHeld}
		if frames, _, err := p.stack(g.id); err == nil && len(frames) > 0 { // else it has not begun, or is in the runtime
			one.At = frames[max(0, slices.IndexFunc(frames, func(f inspect.Frame) bool { return f.Number == 0 }))]
		}
		result = append(result, one)
	}
	return result, err
}

func (p reader) frames(number int) ([]inspect.Frame, error) {
	id, err := p.id(number)
	if err != nil {
		return nil, err
	}
	frames, _, err := p.stack(id)
	return frames, err
}

// stack returns the frames of a goroutine, except those of the checker and the runtime, and their indexes for Delve.
func (p reader) stack(id int64) (frames []inspect.Frame, indexes []int, err error) {
	g, err := proc.FindGoroutine(p.group.Selected, id)
	if err != nil {
		return nil, nil, err
	}
	all, err := proc.GoroutineStacktrace(p.group.Selected, g, depth, 0)
	if err != nil {
		return nil, nil, err
	}
	first := -1
	for i, f := range all {
		if f.Current.Fn == nil || f.Err != nil {
			continue
		}
		standard := strings.HasPrefix(f.Call.File, p.goroot)
		name := f.Current.Fn.Name
		if name == handlerCaller {
			break
		}
		if standard && hidden(name, f.Call.File) || hosting(name, f.Call.File) || wrapper.MatchString(name) {
			continue
		}
		if !standard && first < 0 {
			first = len(frames)
		}
		frames = append(frames, inspect.Frame{Function: name, File: f.Call.File, Line: f.Call.Line, Standard: standard})
		indexes = append(indexes, i)
	}
	for i := range frames {
		frames[i].Number = i - max(first, 0)
	}
	return frames, indexes, nil
}

// wrapper matches functions that the compiler makes of the calls in defer and go statements.
var wrapper = regexp.MustCompile(`\.(deferwrap|gowrap)\d+$`)

// overlaid is the beginning of the names of files that the checker adds to the distribution.
const overlaid = "zz_macemc_"

// place returns the line that a goroutine executes outside the standard library.
func (p reader) place(id int64) string {
	frames, _, err := p.stack(id)
	for _, f := range frames {
		if err == nil && f.Number == 0 {
			return fmt.Sprintf("%s:%d", f.File, f.Line)
		}
	}
	return ""
}

// hidden reports whether a function of the distribution belongs to the runtime, which includes system calls, or the checker.
func hidden(function, file string) bool {
	for _, prefix := range []string{
		"runtime.", "syscall.", "testing.", "testing/internal.", "internal/synctest.", "internal/runtime/", "internal/race.",
	} {
		if strings.HasPrefix(function, prefix) {
			return true
		}
	}
	return strings.HasPrefix(function[strings.LastIndexByte(function, '.')+1:], "macemc") || strings.HasPrefix(filepath.Base(file), overlaid)
}

// scope returns the scope of the frame of a request.
func (p reader) scope(r *inspect.Request) (*proc.EvalScope, error) {
	id, err := p.id(r.Goroutine)
	if err != nil {
		return nil, err
	}
	frames, indexes, err := p.stack(id)
	if err != nil {
		return nil, err
	}
	at := slices.IndexFunc(frames, func(f inspect.Frame) bool {
		if r.Function != "" {
			return f.Function == r.Function
		}
		return f.Number == r.Frame
	})
	switch {
	case at < 0 && r.Function != "":
		return nil, fmt.Errorf("%s is not being executed here", r.Function)
	case at < 0:
		return nil, fmt.Errorf("there is no frame %d; \"frame\" lists them", r.Frame)
	}
	scope, err := proc.ConvertEvalScope(p.group.Selected, id, indexes[at], 0)
	if err == nil && p.within.last.Fn != nil && scope.Fn == p.within.last.Fn { // where it returns, the variables of blocks are out of scope
		scope.Location = p.within.last
	}
	return scope, err
}

func (p reader) variables(r *inspect.Request) ([]inspect.Value, error) {
	s, err := p.scope(r)
	if err != nil {
		return nil, err
	}
	read := s.LocalVariables
	if r.How == inspect.Arguments {
		read = s.FunctionArguments
	}
	list, err := read(shown)
	if err != nil {
		return nil, err
	}
	var values []inspect.Value
	for _, v := range list {
		if v.Flags&proc.VariableShadowed == 0 && !p.within.visited.skipped(v, s) && v.Name[0] != '~' { // a result without a name
			values = append(values, described(v, v.Name))
		}
	}
	return values, nil
}

// evaluate evaluates the expression of a request. If the innermost frame does not have it, the next frames that have it are used.
func (p reader) evaluate(r *inspect.Request) ([]inspect.Value, error) {
	values, err := p.evaluateIn(r)
	if err == nil || r.Frame != 0 || r.Function != "" {
		return values, err
	}
	frames, e := p.frames(r.Goroutine)
	if e != nil {
		return nil, err
	}
	for _, f := range frames {
		outer := *r
		if outer.Frame = f.Number; f.Number <= 0 || strings.HasPrefix(f.File, p.goroot) {
			continue
		}
		if values, e := p.evaluateIn(&outer); e == nil {
			for i := range values {
				values[i].Frame = f.Number
			}
			return values, nil
		}
	}
	return nil, err
}

func (p reader) evaluateIn(r *inspect.Request) ([]inspect.Value, error) {
	s, err := p.scope(r)
	if err != nil {
		return nil, err
	}
	if strings.ContainsRune(r.Expression, '=') && assigns.MatchString(r.Expression) {
		return nil, errors.New("a run that is executed again is not changed")
	}
	if err := p.declared(s, r.Expression); err != nil {
		return nil, err
	}
	cfg := shown
	if r.Action == inspect.Members {
		cfg = members
	}
	v, err := s.EvalExpression(r.Expression, cfg)
	if err != nil {
		return nil, err
	}
	if v.Unreadable != nil {
		return nil, v.Unreadable
	}
	if r.Action == inspect.Evaluate {
		return []inspect.Value{described(v, r.Expression)}, nil
	}
	return parts(v, r.Expression), nil
}

// declared returns an error if an expression uses a local variable that is not in scope where a goroutine has stopped.
func (p reader) declared(s *proc.EvalScope, expression string) error {
	e, err := parser.ParseExpr(expression)
	if err != nil { // Delve describes it, or has its own syntax
		return nil
	}
	var used []string
	fields := map[*ast.Ident]bool{}
	ast.Inspect(e, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.SelectorExpr:
			fields[n.Sel] = true
		case *ast.Ident:
			if !fields[n] {
				used = append(used, n.Name)
			}
		}
		return true
	})
	const anywhere = 2 // in the function
	for _, name := range used {
		later, err := s.Locals(anywhere, name)
		if err != nil || len(later) == 0 {
			continue
		}
		here, err := s.Locals(0, name)
		if err == nil && !slices.ContainsFunc(here, func(v *proc.Variable) bool { return !p.within.visited.skipped(v, s) }) {
			return fmt.Errorf("%s is not in scope at line %d", name, s.Line)
		}
	}
	return nil
}

var assigns = regexp.MustCompile(`[^=!<>]=[^=]`)

// described describes a variable that an expression evaluates to.
func described(v *proc.Variable, expression string) inspect.Value {
	name := v.Name
	if name == "" {
		name = expression
	}
	a := api.ConvertVar(v)
	full := a.Type
	shorten(a)
	text := addresses.ReplaceAllString(a.SinglelineString(), "(…)")
	text = blank.ReplaceAllString(text, "")
	if opaque.MatchString(full) {
		text = a.Type
	}
	n := len(v.Children)
	if v.Kind.String() == "string" || v.Kind.String() == "func" {
		n = 0
	}
	return inspect.Value{Name: name, Type: a.Type, Text: text, Expression: expression, Members: n}
}

// shorten leaves the folders out of the names of types.
func shorten(v *api.Variable) {
	v.Type, v.RealType = folders.ReplaceAllString(v.Type, ""), folders.ReplaceAllString(v.RealType, "")
	for i := range v.Children {
		shorten(&v.Children[i])
	}
}

// folders match the folders in import paths.
var folders = regexp.MustCompile(`([\w.~-]+/)+`)

// addresses match addresses, which differ between runs.
var addresses = regexp.MustCompile(`\(0x[0-9a-f]+\)`)

// opaque matches the types that package testing and the checker pass to functions, whose fields are their own.
var opaque = regexp.MustCompile(`^(\*testing\.[TBFM]|` + module + `sim\.Env|\*` + module + `bubble\.Host)$`)

// blank matches fields that only prevent copies or align others.
var blank = regexp.MustCompile(`\b(_|noCopy): [\w/.]+ \{\}(, )?`)

// blanks are the names of such fields.
var blanks = map[string]bool{"_": true, "noCopy": true}

// parts returns the members of a variable.
func parts(v *proc.Variable, of string) (list []inspect.Value) {
	children, kind := v.Children, v.Kind.String()
	if (kind == "ptr" || kind == "interface") && len(children) == 1 {
		if kind == "ptr" {
			of = "(*" + of + ")"
		} else {
			of += ".(data)"
		}
		if inner := children[0]; len(inner.Children) > 0 && inner.Kind.String() != "ptr" {
			return parts(&inner, of)
		}
		return []inspect.Value{described(&children[0], of)}
	}
	if kind == "map" {
		for i := 0; i+1 < len(children); i += 2 {
			key := api.ConvertVar(&children[i]).SinglelineString()
			value := described(&children[i+1], fmt.Sprintf("%s[%s]", of, key))
			value.Name = key
			list = append(list, value)
		}
		return list
	}
	for i := range children {
		c := &children[i]
		if blanks[c.Name] {
			continue
		}
		expression := of + "." + c.Name
		if kind == "slice" || kind == "array" {
			expression = fmt.Sprintf("%s[%d]", of, i)
		}
		value := described(c, expression)
		if kind == "slice" || kind == "array" {
			value.Name = fmt.Sprintf("[%d]", i)
		}
		list = append(list, value)
	}
	return list
}
