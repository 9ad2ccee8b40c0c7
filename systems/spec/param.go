package spec

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// ParamKind is the type of a parameter's value.
type ParamKind uint8

const (
	Int   ParamKind = iota // a decimal number from Min to Max
	Bool                   // "true" or "false"
	OneOf                  // one of Values
)

// Param is one setting of a system.
type Param struct {
	// Name is the key on the command line: lower case, words joined by hyphens.
	Name string
	// Kind is the type of the value.
	Kind ParamKind
	// Default is the default value; it must be valid.
	Default string
	// Min and Max bound the value of an Int, both inclusive.
	Min, Max int
	// Values are the values of a OneOf.
	Values []string
	// Help is one line without a full stop.
	Help string
}

// Range describes the accepted values.
func (p *Param) Range() string {
	switch p.Kind {
	case Int:
		return fmt.Sprintf("a number from %d to %d", p.Min, p.Max)
	case Bool:
		return "true or false"
	default:
		return "one of " + strings.Join(p.Values, ", ")
	}
}

// Validate returns an error if the value is not accepted.
func (p *Param) Validate(value string) error {
	ok := false
	switch p.Kind {
	case Int:
		i, err := strconv.Atoi(value)
		ok = err == nil && p.Min <= i && i <= p.Max
	case Bool:
		ok = value == "true" || value == "false"
	case OneOf:
		ok = slices.Contains(p.Values, value)
	}
	if !ok {
		return fmt.Errorf("parameter %s is %q, must be %s", p.Name, value, p.Range())
	}
	return nil
}
