// Package ids belongs to a module that only a test imports.
package ids

var last int

func Next() int {
	last++
	return last
}
