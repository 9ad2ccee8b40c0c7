package smr

import (
	"maps"
	"slices"
)

// App is what is replicated: a value that no method changes. It is a function of its operations.
type App interface {
	// Do executes an operation.
	Do(op Op) (after App, value int)
}

// Service is an App that clients know what to ask for.
type Service interface {
	App
	// Nth is what they ask for as their nth command; client and n count from 0.
	Nth(client, n int) Op
}

// Services are the bundled ones by name.
func Services() map[string]Service {
	return map[string]Service{"counter": Counter{}, "hashtable": Table{}, "list": List{}}
}

// Counter is a Service that adds, and tells the sum.
type Counter struct{ Sum int }

// Do implements [App].
func (c Counter) Do(op Op) (App, int) {
	c.Sum += op.Arg
	return c, c.Sum
}

// Nth implements [Service].
func (Counter) Nth(int, int) Op { return Op{Do: "add", Arg: 1} }

// Operations of a [Table] and a [List].
const (
	Put    = "put"    // tells what was there before
	Get    = "get"    // tells what is there
	push   = "append" // tells the length
	lastOf = "last"
)

// Table is a hash table. What is not in it is 0.
type Table struct{ Entries map[int]int }

// Do implements [App].
func (t Table) Do(op Op) (App, int) {
	was := t.Entries[op.Key]
	if op.Do != Put {
		return t, was
	}
	entries := maps.Clone(t.Entries)
	if entries == nil {
		entries = map[int]int{}
	}
	entries[op.Key] = op.Arg
	return Table{entries}, was
}

// Keys is how many keys clients use.
const Keys = 2

// Nth implements [Service]: clients write and read keys in turn, not all the same at first.
func (Table) Nth(client, n int) Op {
	k := client + n
	if k%2 == 1 {
		return Op{Do: Get, Key: k / 2 % Keys}
	}
	return Op{Do: Put, Key: k / 2 % Keys, Arg: 10*n + client + 1}
}

// List is a list that grows at its end.
type List struct{ Elements []int }

// Do implements [App].
func (l List) Do(op Op) (App, int) {
	n := len(l.Elements)
	switch {
	case op.Do == push:
		return List{slices.Clip(append(slices.Clone(l.Elements), op.Arg))}, n + 1
	case n == 0:
		return l, 0
	default:
		return l, l.Elements[n-1]
	}
}

// Nth implements [Service]: clients append and read the end in turn, not all the same at first.
func (List) Nth(client, n int) Op {
	if (client+n)%2 == 1 {
		return Op{Do: lastOf}
	}
	return Op{Do: push, Arg: 10*n + client + 1}
}
