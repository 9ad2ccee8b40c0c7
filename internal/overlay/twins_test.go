package overlay

import (
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"slices"
	"strings"
	"testing"
)

// fields appends the fields of a struct type with their types. A field of another one of these types stands for its fields.
func fields(list []string, path string, s *ast.StructType, structs map[string]*ast.StructType) []string {
	for _, f := range s.Fields.List {
		text := types.ExprString(f.Type)
		inner, ok := f.Type.(*ast.StructType)
		if !ok {
			inner = structs[text]
		}
		for _, id := range f.Names {
			if inner != nil {
				list = fields(list, path+id.Name+".", inner, structs)
			} else {
				list = append(list, path+id.Name+" "+text)
			}
		}
	}
	return list
}

// declared returns the fields of a type, or the names of the enumeration that begins with a constant.
func declared(t *testing.T, file, name string) (list []string) {
	t.Helper()
	f, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	structs := map[string]*ast.StructType{}
	for _, d := range f.Decls {
		d, ok := d.(*ast.GenDecl)
		if !ok {
			continue
		}
		var names []string
		for _, s := range d.Specs {
			switch s := s.(type) {
			case *ast.TypeSpec:
				if st, ok := s.Type.(*ast.StructType); ok {
					structs[s.Name.Name] = st
				}
			case *ast.ValueSpec:
				names = append(names, s.Names[0].Name)
			}
		}
		if len(names) > 0 && names[0] == name {
			list = names
		}
	}
	if s := structs[name]; s != nil {
		list = fields(nil, "", s, structs)
	}
	if list == nil {
		t.Fatalf("%s does not declare %s", file, name)
	}
	return list
}

// Programs of users contain package bubble, which can import nothing from the distribution, so that it declares what it exchanges with the
// runtime. So do packages testing and program.
func TestSources_MatchPackages(t *testing.T) {
	const step, control = "_source/common/runtime/step.go", "../../bubble/control.go"
	inBubble := strings.NewReplacer("guintptr", "uintptr", "macemcLockUse", "lockUse", "macemcPlaces", "places")
	for _, c := range []struct {
		file, name, otherFile, other string
		cut, add                     string // prefixes of names
	}{
		{step, "macemcStep", control, "control", "", ""},
		{"_source/common/runtime/locks.go", "macemcLockUse", control, "lockUse", "", ""},
		{"_source/common/runtime/places.go", "macemcPlaces", "../../bubble/places.go", "places", "", ""},
		{"_source/tests/runtime/exchange.go", "macemcVariable", "../../bubble/command.go", "variable", "", ""},
		{step, "macemcFIFO", control, "modeFIFO", "macemc", "mode"},
		{"_source/tests/runtime/exchange.go", "macemcGParks", "../testsched/outcome.go", "Parks", "macemcG", ""},
		{"_source/tests/runtime/snapshot.go", "macemcLeave", "../testsched/program/variables.go", "LeaveVariable", "macemc", ""},
	} {
		is, want := declared(t, c.file, c.name), declared(t, c.otherFile, c.other)
		for i, text := range is {
			is[i] = inBubble.Replace(c.add + strings.TrimPrefix(text, c.cut))
		}
		for i, text := range want {
			want[i] = strings.TrimSuffix(text, "Variable")
		}
		if !slices.Equal(is, want) {
			t.Errorf("%s of %s has %q, and %s of %s has %q", c.name, c.file, is, c.other, c.otherFile, want)
		}
	}
}
