package choose_test

import (
	"fmt"
	"strings"

	"github.com/macemc/macemc/choose"
	"github.com/macemc/macemc/internal/pathfile"
)

// Enumerate answers the choices of a function in every possible way.
func ExampleEnumerate() {
	var e choose.Enumerate
	for e.Next() {
		if e.Choose(choose.Point{Kind: choose.Draw, Label: "first coin", Arity: 2}) == 1 {
			e.Choose(choose.Point{Kind: choose.Draw, Label: "second coin", Arity: 2})
		}
		fmt.Println(e.Path())
	}
	// Output:
	// [0]
	// [1 0]
	// [1 1]
}

// A path file has one line for each step of a run.
func ExampleParse() {
	file, err := pathfile.Parse(strings.NewReader(`macemc path 1
system pingack
nodes 2
limit loss=1
0 action n0 ping
1 deliver n1<-n0 Ping{Seq:1}
1 lose n0<-n1 Ack{Seq:1}
end 3
`))
	if err != nil {
		panic(err)
	}
	fmt.Println(file.Header.System, file.Header.Limits)
	for _, step := range file.Steps {
		fmt.Println(step.Key)
	}
	// Output:
	// pingack [{loss 1}]
	// action n0 ping
	// deliver n1<-n0 Ping{Seq:1}
	// lose n0<-n1 Ack{Seq:1}
}
