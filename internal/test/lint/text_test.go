package lint

import (
	"go/ast"
	"go/types"
	"slices"
	"strings"
	"testing"
)

// rendered are the fields and methods that hold texts made for people or files, by type. What they were made of has a
// type: the parts of a label, the part that a field is of, the kind of a question, the cause of a finding.
var rendered = map[string][]string{
	"internal/kernel.World":           {"Key"},
	"internal/kernel/stepinfo.Label":  {"String", "Head"},
	"internal/kernel/stepinfo.Answer": {"Label"},
	"choose.Point":                    {"Label"},
	"internal/pathfile.Pick":          {"Label"},
	"internal/pathfile.Step":          {"Key"},
	"internal/replay.TraceStep":       {"Key", "Kind", "What", "Sentence"},
	"internal/replay.TraceEffect":     {"Kind", "Text"},
	"internal/replay.NodeChange":      {"Path"},
	"internal/encoding/diff.Field":    {"Path"},
	"internal/encoding/diff.Change":   {"Path"},
	"internal/shrink.Step":            {"Key", "Class"},
	"eventgraph.Event":                {"Key", "Kind", "Text", "What"},
	"sim.Finding":                     {"Message", "Stack"},
	"search.Suspect":                  {"Message", "Stack"},
}

// takers are the functions of package strings that take texts apart.
var takers = []string{"HasPrefix", "HasSuffix", "Cut", "CutPrefix", "CutSuffix", "Contains", "ContainsAny", "Fields", "FieldsSeq",
	"Index", "IndexAny", "IndexByte", "LastIndex", "LastIndexByte", "Split", "SplitN", "SplitSeq", "TrimPrefix", "TrimSuffix"}

// mayTakeApart are functions that read such texts for another reason than to decide by them.
var mayTakeApart = map[string]string{
	"eventgraph.Digest":                     "fields of one struct are shown with its path once",
	"eventgraph.whole":                      "fields of one element are shown as one",
	"internal/encoding.note":                "a field is a part of another one by its path",
	"internal/kernel/declared.OfHosted":     "leaves out the path of the host",
	"internal/kernel.NodeChanges":           "leaves out the path of the host",
	"internal/table/statespace.collections": "lists what has an index in the path",
	"mdb.test":                              "the user searches by a regular expression",
}

// nothingFromText: nothing is decided by a text that was made for people. The rule sees expressions that are taken apart where
// they are read, not what goes through variables or parameters.
func nothingFromText(t *tree, p *pkg) (found []problem) {
	for _, f := range p.files {
		in := ""
		ast.Inspect(f, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.FuncDecl:
				in = p.path + "." + n.Name.Name
			case *ast.CallExpr:
				if mayTakeApart[in] == "" && len(n.Args) > 0 && p.takesApart(n) {
					if of := p.textOf(n.Args[0]); of != "" {
						found = append(found, problem{n.Pos(), "takes " + of + " apart, a text for people: use what it was made of"})
					}
				}
			}
			return true
		})
	}
	return found
}

// takesApart reports whether a call is one of a function that takes texts apart, or of a regular expression.
func (p *pkg) takesApart(call *ast.CallExpr) bool {
	sel, ok := call.Fun.(*ast.SelectorExpr)
	if !ok {
		return false
	}
	if s := p.info.Selections[sel]; s != nil {
		return s.Recv().String() == "*regexp.Regexp"
	}
	of, ok := p.info.Uses[sel.Sel].(*types.Func)
	return ok && of.Pkg() != nil && of.Pkg().Path() == "strings" && slices.Contains(takers, of.Name())
}

// textOf names the rendered text of an expression, or returns "".
func (p *pkg) textOf(e ast.Expr) string {
	if call, ok := ast.Unparen(e).(*ast.CallExpr); ok {
		e = call.Fun
	}
	sel, ok := ast.Unparen(e).(*ast.SelectorExpr)
	if !ok || p.info.Selections[sel] == nil {
		return ""
	}
	of := p.info.Selections[sel].Recv()
	if pointer, ok := types.Unalias(of).(*types.Pointer); ok {
		of = pointer.Elem()
	}
	name := strings.TrimPrefix(types.Unalias(of).String(), module+"/")
	if slices.Contains(rendered[name], sel.Sel.Name) {
		return name + "." + sel.Sel.Name
	}
	return ""
}

func TestNothingFromText(t *testing.T) {
	enforce(t, nothingFromText)
	tree, err := loadModule()
	if err != nil {
		t.Fatal(err)
	}
	for name, members := range rendered {
		dot := strings.LastIndexByte(name, '.')
		of := tree.pkgs[name[:dot]].types.Scope().Lookup(name[dot+1:])
		if of == nil {
			t.Errorf("there is no type %s: the rule does not see its texts", name)
			continue
		}
		for _, m := range members {
			if found, _, _ := types.LookupFieldOrMethod(of.Type(), true, of.Pkg(), m); found == nil {
				t.Errorf("%s has no %s: the rule does not see it", name, m)
			}
		}
	}
}

func TestNothingFromTextNotices(t *testing.T) {
	snippet{
		"choose":                   "package choose\ntype Point struct { Kind int; Label string }\n",
		"internal/kernel/stepinfo": "package stepinfo\ntype Label struct { Content string }\nfunc (l *Label) String() string { return l.Content }\n",
		"internal/kernel": `package kernel
import (
	"regexp"
	"strings"
	"github.com/macemc/macemc/choose"
	"github.com/macemc/macemc/internal/kernel/stepinfo"
)
type World interface { Key(int) string }
var number = regexp.MustCompile("[0-9]+")
func decides(w World, l *stepinfo.Label, p choose.Point) bool {
	if strings.HasPrefix(w.Key(1), "crash ") { // want takes internal/kernel.World.Key apart
		return true
	}
	_, _, ok := strings.Cut((l.String()), " with ") // want takes internal/kernel/stepinfo.Label.String apart
	return ok || number.MatchString(p.Label) // want takes choose.Point.Label apart
}
func shows(w World, l *stepinfo.Label, p choose.Point) string {
	return strings.ToUpper(w.Key(1)) + strings.TrimPrefix(l.Content, "a") + p.Label
}
`,
	}.test(t, nothingFromText)
}
