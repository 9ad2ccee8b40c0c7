package bubble_test

import (
	"strings"
	"testing"

	"github.com/macemc/macemc/bubble"
	"github.com/macemc/macemc/internal/encoding"
)

// A system without the rules that its programs need says which.
func TestRules_Missing(t *testing.T) {
	set, err := encoding.NewSet()
	if err != nil {
		t.Fatal(err)
	}
	_, err = set.Of(bubble.Command(func() {}, []string{"x"}, nil))
	if err == nil || !strings.HasSuffix(err.Error(), " cannot be encoded: set System.State to bubble.Rules") {
		t.Errorf("got %v", err)
	}
}
