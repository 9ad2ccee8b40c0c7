package declared

import (
	"fmt"
	"go/ast"
	"reflect"
	"regexp"
	"strings"

	"github.com/macemc/macemc/internal/encoding/diff"
	"github.com/macemc/macemc/internal/simext"
	"github.com/macemc/macemc/sim"
)

// Carries reports whether a service carries a program, see [simext.Carrier].
func Carries(s sim.Service) bool {
	_, ok := s.(simext.Carrier)
	return ok
}

// CarriesAny reports whether a node of a system carries a program. It makes the services of all nodes.
func CarriesAny(sys *sim.System) bool {
	for id := range sim.NodeID(sys.Nodes) {
		s := sys.New(id)
		Discard(s)
		if Carries(s) {
			return true
		}
	}
	return false
}

// OfCarrier writes the names of a carrier's private fields as words in parentheses.
func OfCarrier(s sim.Service, fields []diff.Field) []diff.Field {
	if Carries(s) {
		for i := range fields {
			if p := fields[i].Path; !ast.IsExported(p) {
				fields[i].Path, fields[i].Part = "("+capitals.ReplaceAllStringFunc(p, word)+")", diff.Part{Kind: diff.OfProgram, Name: p}
			}
		}
	}
	return fields
}

// capitals matches the beginnings of words in names.
var capitals = regexp.MustCompile(`[A-Z]`)

func word(capital string) string { return " " + strings.ToLower(capital) }

// OfHosted removes from the names of fields the path to the code that a service runs for others.
func OfHosted(s sim.Service, fields []diff.Field) []diff.Field {
	if prefix := HostedPrefix(s); prefix != "" {
		for i := range fields {
			fields[i].Path = strings.TrimPrefix(fields[i].Path, prefix)
		}
	}
	return fields
}

// HostedPrefix returns the name prefix of fields of the code that a service runs for others, or "" if it runs none.
func HostedPrefix(s sim.Service) string {
	if h, ok := s.(simext.Hosting); ok {
		if _, code, path := h.Hosted(); code != nil {
			return fmt.Sprintf("%s.(*%s).", path, reflect.TypeOf(code).Elem().Name())
		}
	}
	return ""
}

// Closes reports whether a service has a Close method.
func Closes(s sim.Service) bool { return simext.Close(s) != nil }

// Discard closes a service that was made only to look at it.
func Discard(s sim.Service) { simext.Discard(s) }
