package sim

import "github.com/macemc/macemc/internal/encoding/rule"

// StateRule changes how the checker encodes, copies or shows values of a type or field.
type StateRule rule.Rule

func (r StateRule) String() string { return (*rule.Rule)(&r).String() }

// IgnoreField leaves a field of struct type T out of the state. A name such as "a.b" denotes field b of field a.
func IgnoreField[T any](name string) StateRule { return StateRule(rule.IgnoreField[T](name)) }

// MethodByName encodes a field of struct type T that holds one of several functions, by the name of the function.
func MethodByName[T any](field string) StateRule { return StateRule(rule.MethodByName[T](field)) }

// EncodeBy encodes values of type T, or of types that implement the interface T, by a function that
// appends to dst.
func EncodeBy[T any](encode func(dst []byte, v T) []byte) StateRule {
	return StateRule(rule.EncodeBy(encode))
}

// CopyBy copies values of type T, or of types that implement the interface T, by a function.
func CopyBy[T any](copy func(T) T) StateRule { return StateRule(rule.CopyBy(copy)) }

// ShowBy formats values of type T, or of types that implement the interface T, in reports and path files.
func ShowBy[T any](show func(T) string) StateRule { return StateRule(rule.ShowBy(show)) }

// ByElements compares slices and maps by their elements alone: not by capacity, by memory beyond the length, or by
// whether an empty one is nil. Handlers must not depend on any of these.
func ByElements() StateRule { return StateRule(rule.ByElements()) }
