package cli

import (
	"encoding/json"
	"os"
	"testing"

	"github.com/macemc/macemc/eventgraph"
	"github.com/macemc/macemc/internal/test/golden"
)

func TestDot(t *testing.T) {
	text, err := os.ReadFile("../../../../eventgraph/testdata/faults.diagram.json")
	if err != nil {
		t.Fatal(err)
	}
	var d eventgraph.Diagram
	if err := json.Unmarshal(text, &d); err != nil {
		t.Fatal(err)
	}
	golden.Compare(t, "faults.dot", []byte(dotText(d)))
}
