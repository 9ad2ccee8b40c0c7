package replay_test

import (
	"testing"

	"github.com/macemc/macemc/internal/replay"
)

func TestBrief(t *testing.T) {
	for text, want := range map[string]string{
		"resend{}":                 "resend",
		"Ping{Seq:2}":              "Ping{2}",
		"Join{From:1 Epoch:2}":     "Join{From:1 Epoch:2}",
		"List{Of:[1 2 {A:1}]}":     "List{[1 2 {A:1}]}",
		`Say{Text:"a b} c"}`:       `Say{"a b} c"}`,
		`Say{Text:"a" More:"b"}`:   `Say{Text:"a" More:"b"}`,
		"tick(3)":                  "tick(3)",
		"&Node{Peers:[1]}":         "&Node{[1]}",
		"Pair{X:1} Pair{X:2}":      "Pair{X:1} Pair{X:2}",
		"Outer{In:Inner{A:1 B:2}}": "Outer{Inner{A:1 B:2}}",
		"{Seq:2}":                  "{Seq:2}",
		"stream Ping{Seq:2}":       "stream Ping{2}",
		"ping":                     "ping",
		"":                         "",
	} {
		if got := replay.Brief(text); got != want {
			t.Errorf("Brief(%q) is %q, want %q", text, got, want)
		}
	}
}
