// Package encoding compiles, once per type, how values of that type are encoded canonically, copied deeply and shown
// to people. It supports unexported fields, sorted maps, pointers with aliasing and cycles, and interfaces with their
// dynamic types. It rejects other types by name.
//
// # Equal encodings
//
// Values that code could distinguish have different encodings, or their type is rejected by name. Two values of one
// type have equal encodings if and only if they have the same content and the same sharing. Pointers, maps and slices
// that are one in the first value are one in the second. Slices and pointers that overlap in memory overlap alike,
// even if a conversion gave them different types. In detail:
//
//   - nil and empty slices and maps differ. A slice counts with its capacity and the memory beyond its
//     length, which re-slicing and append would reveal. The rule [rule.ByElements] drops that.
//   - A pointer to or into a package variable, memory reachable from one, or memory of [rule.Holding] counts by
//     its identity, as == compares it: sentinels, errors with equal texts.
//   - Floats count by their bits, so that -0 and 0 differ, and so do NaNs with different bits.
//   - An interface counts with its dynamic type, and a type with its package path and name.
//   - Blank fields, fields tagged `macemc:"-"` and fields named by [rule.IgnoreField] do not count.
//   - A [macetime.Time] counts by its position among the distinct times encoded so far, see
//     [Encoder.Times]. A [time.Time] counts by its instant, its monotonic reading, and its whole zone: name,
//     offsets, transitions, and which zones are one.
//
// Functions, channels and unsafe pointers are rejected. So are map keys that hold pointers, because they have no
// canonical order. Locks and atomics count by their numbers. Behavior that Go leaves open does not count: whether
// pointers to variables without size are equal, and the addresses of memory.
//
// # Copies
//
// A copy has the same encoding, sharing and capacities as the original. It shares no mutable memory with it except
// constants, which are not copied. Ignored fields are copied shallowly. Zones are immutable, and so are errors made
// by the packages errors and fmt that hold nothing mutable. They are not copied either, so that they still compare
// equal to the originals. The rule [rule.Apart] drops that.
//
// # Plans
//
// A [Set] compiles a [Plan] for each type: a tree of nodes, with programs of ops for its memory. An [Encoder], a copier
// and a renderer walk a value by the same plan. A walk records the memory that it visits (seen), unless values of the
// type cannot share memory. The rules of a system apply to all values of a Set.
//
// # Files
//
//	set.go                        Set: rules, plans by type
//	plan.go                       Plan, Fingerprint
//	compile.go                    which types are supported, and how each part of a type is treated
//	node.go                       the node of a type: its treatment, and programs for its memory
//	share.go                      whether values of a type can refer to the same memory twice
//	convert.go                    map types that a conversion makes the same
//	encode.go, special.go         the canonical encoding
//	mapiter.go                    the order of map entries
//	seen.go                       memory visited by a walk; overlaps
//	copy.go                       deep copies
//	constants.go                  memory that copies refer to: package variables, immutable errors
//	zone.go                       time zones
//	fields.go, text.go, brief.go  the fields of a value, and their text
//	foreign.go                    which types belong to another module than the value
//	changes.go, hidden.go         differences of two values that fields show, and that none shows
//	references.go                 memory that counts by its identity
//	hash.go                       hashes of encodings
//	error.go                      unsupported types: the path to the part, and advice
//
// # Packages
//
//	diff      fields of values, and their changes
//	rule      rules of a system for types
//	memory    layouts of Go values; constants
//	typeinfo  modules and names of types
package encoding
