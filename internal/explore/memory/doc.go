// Package memory provides memory that grows in place, outside the garbage collector, and lists in it.
package memory
