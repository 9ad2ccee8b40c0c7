package main

import (
	"bytes"
	"testing"

	"github.com/macemc/macemc/internal/test/golden"
)

func TestNewHelp(t *testing.T) {
	var out bytes.Buffer
	cmd := newCommand()
	cmd.SetOut(&out)
	cmd.SetArgs([]string{"--help"})
	if err := cmd.Execute(); err != nil {
		t.Fatal(err)
	}
	golden.Compare(t, "helpnew.txt", out.Bytes())
}
