package smr

import (
	"maps"
	"slices"
)

// App is the replicated state. It is immutable, and a function of its operations.
type App interface {
	// Do executes an operation.
	Do(op Op) (after App, value int)
}

// Service is an App with commands for clients.
type Service interface {
	App
	// Nth returns a client's nth command; client and n count from 0.
	Nth(client, n int) Op
}

// Services returns the bundled services by name.
func Services() map[string]Service {
	return map[string]Service{"counter": Counter{}, "hashtable": Table{}, "list": List{}}
}

// Counter is a Service that adds, and returns the sum.
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
	Put    = "put"    // returns the previous value
	Get    = "get"    // returns the value
	push   = "append" // returns the length
	lastOf = "last"
)

// Table is a hash table. Missing entries are 0.
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

// Keys is the number of keys that clients use.
const Keys = 2

// Nth implements [Service]. Clients write and read keys in turn, with different first ones.
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

// Nth implements [Service]. Clients append and read the end in turn, with different first ones.
func (List) Nth(client, n int) Op {
	if (client+n)%2 == 1 {
		return Op{Do: lastOf}
	}
	return Op{Do: push, Arg: 10*n + client + 1}
}
