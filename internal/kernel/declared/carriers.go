package declared

import (
	"fmt"
	"go/ast"
	"reflect"
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

// OfCarrier puts the names of fields that a carrier keeps to itself in parentheses.
func OfCarrier(s sim.Service, fields []sim.Field) []sim.Field {
	if Carries(s) {
		for i := range fields {
			if p := fields[i].Path; !ast.IsExported(p) {
				fields[i].Path, fields[i].Part.Kind = "("+p+")", diff.OfProgram
			}
		}
	}
	return fields
}

// OfHosted leaves out of the names of fields what leads to the code that a service runs for others.
func OfHosted(s sim.Service, fields []sim.Field) []sim.Field {
	if prefix := HostedPrefix(s); prefix != "" {
		for i := range fields {
			fields[i].Path = strings.TrimPrefix(fields[i].Path, prefix)
		}
	}
	return fields
}

// HostedPrefix is what the names begin with of fields of the code that a service runs for others; "": it runs none.
func HostedPrefix(s sim.Service) string {
	if h, ok := s.(simext.Hosting); ok {
		if _, code, path := h.Hosted(); code != nil {
			return fmt.Sprintf("%s.(*%s).", path, reflect.TypeOf(code).Elem().Name())
		}
	}
	return ""
}

// Closes reports whether a service wants to know that it is thrown away.
func Closes(s sim.Service) bool { return simext.Close(s) != nil }

// Discard is for those who make a service to look at it only: it is told that it is thrown away.
func Discard(s sim.Service) { simext.Discard(s) }
