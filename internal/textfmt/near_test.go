package textfmt

import (
	"strings"
	"testing"
)

func TestNear(t *testing.T) {
	known := []string{"pingack", "randtree", "transport", "pastry", "paxos", "overcast", "brokentree"}
	for _, tc := range []struct {
		name string
		want string
	}{
		{"randtre", "randtree"},  // one letter left out
		{"rnadtree", "randtree"}, // two swapped
		{"RandTree", "randtree"}, // case
		{"pa", "paxos pastry"},   // a beginning of both; paxos needs fewer insertions
		{"ping", "pingack"},      // a beginning
		{"raft", ""},
		{"", ""},
	} {
		if got := strings.Join(Near(tc.name, known), " "); got != tc.want {
			t.Errorf("Near(%q) = %q, want %q", tc.name, got, tc.want)
		}
	}
}
