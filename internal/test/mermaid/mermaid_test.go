package mermaid_test

import (
	"testing"

	"github.com/macemc/macemc/internal/test/mermaid"
)

func TestMermaid(t *testing.T) {
	mermaid.Check(t, map[string]string{"one": "sequenceDiagram\n    n0->>n1: hello\n"})
}
