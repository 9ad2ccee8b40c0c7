package strategy_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/macemc/macemc/internal/search/strategy"
	"github.com/macemc/macemc/internal/test/golden"
)

// The table of strategies in docs/concepts.md is generated.
func TestAll_AreDocumented(t *testing.T) {
	const (
		file = "../../../docs/concepts.md"
		head = "| `--strategy` | how it searches | what it can establish |\n|---|---|---|\n"
	)
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	before, after, ok := strings.Cut(string(text), head)
	_, after, end := strings.Cut(after, "\n\n")
	if !ok || !end {
		t.Fatalf("%s has no table of strategies with the head\n%s", file, head)
	}
	var rows []string
	for i, s := range strategy.All {
		name := "`" + s.Name + "`"
		if i == 0 {
			name += " (default)"
		}
		if s.Method == "" || s.Result == "" {
			t.Errorf("strategy %s is not described", s.Name)
		}
		rows = append(rows, fmt.Sprintf("| %s | %s | %s |", name, s.Method, s.Result))
	}
	golden.CompareFile(t, file, []byte(before+head+strings.Join(rows, "\n")+"\n\n"+after))
}
