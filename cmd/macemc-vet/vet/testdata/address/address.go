// Package address prints addresses.
package address

import (
	"fmt"
	"reflect"

	"github.com/macemc/macemc/sim"
)

type node struct {
	sim.Nop
	seen map[string]bool
	next *int
	done func()
}

type id int

func (i *id) String() string { return fmt.Sprint(int(*i)) }

func (n *node) Receive(env sim.Env, from sim.NodeID, msg any) {
	n.seen[fmt.Sprintf("%d %p", from, n)] = true          // want "address in text: formats an address with %p"
	n.seen[fmt.Sprintf("%5.2f%% %v", 1.0, n.next)] = true // want "prints a .int, which shows as an address"
	n.seen[fmt.Sprint(n.next)] = true                     // want "prints a .int"
	n.seen[fmt.Sprint(n.done)] = true                     // want "prints a func.."
	n.seen[notef("%p", n)] = true                         // want "%p"
	env.Assert(true, "%p", n)
	fmt.Printf("%p\n", n)
	_ = reflect.ValueOf(n).Pointer() // want "uses reflect.Value.Pointer"
	_ = fmt.Sprintf("%v %T %s", *n.next, n.next, new(id))
	_ = fmt.Sprintf("%v", &node{})
	_ = fmt.Errorf("from %d", from)
}

func notef(format string, args ...any) string { return fmt.Sprintf(format, args...) }
