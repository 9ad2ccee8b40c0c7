package critical

import (
	"fmt"
	"slices"
	"testing"
)

// Numbers with more than three values become stars, unless they name nodes; others stay apart.
func TestStarred(t *testing.T) {
	var in []Repeat
	for round := range 10 {
		in = append(in,
			Repeat{fmt.Sprintf("n1 receives Reorganise{Round:%d Siblings:{%d} Grandparent:-1} from n0", round, round%2), 2, 1},
			Repeat{fmt.Sprintf("n%d timer reorganise", round), 1, 0},
			Repeat{fmt.Sprintf("n0 timer retransmit{Peer:%d Seq:%d}", round%3, 1000+round), 1, 1})
	}
	in = append(in, Repeat{"n0 receives Probe{7} from n1", 5, 0}, Repeat{"n0 receives Probe{8} from n1", 4, 0})
	want := []Repeat{
		{"n1 receives Reorganise{Round:* Siblings:{0} Grandparent:-1} from n0", 10, 5},
		{"n0 timer reorganise", 1, 0},
		{"n0 timer retransmit{Peer:0 Seq:*}", 4, 4}, // rounds 0, 3, 6 and 9
		{"n1 receives Reorganise{Round:* Siblings:{1} Grandparent:-1} from n0", 10, 5},
		{"n1 timer reorganise", 1, 0},
		{"n0 timer retransmit{Peer:1 Seq:*}", 3, 3},
		{"n2 timer reorganise", 1, 0},
		{"n0 timer retransmit{Peer:2 Seq:*}", 3, 3},
	}
	for node := 3; node < 10; node++ {
		want = append(want, Repeat{fmt.Sprintf("n%d timer reorganise", node), 1, 0})
	}
	want = append(want, in[30:]...)
	if got := starred(in, 3); !slices.Equal(got, want) {
		t.Errorf("got\n%v\nwant\n%v", got, want)
	}
}
