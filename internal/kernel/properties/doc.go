// Package properties evaluates the properties of a system, and caches the values of predicates at nodes that have not
// changed.
package properties
