package gotest

import (
	"slices"
	"strings"
	"testing"

	"github.com/macemc/macemc/internal/child"
	"github.com/macemc/macemc/internal/explorer"
	"github.com/macemc/macemc/internal/scratch"
)

// The user's command, which starts test binaries, is split as the go command splits it, and quoted again.
func TestSplitWords(t *testing.T) {
	for _, c := range []struct {
		text string
		want []string
	}{
		{"", nil}, {"  ", nil}, {"sudo -E", []string{"sudo", "-E"}}, {` 'a b'  "c'd" e`, []string{"a b", "c'd", "e"}}, {"''", []string{""}},
	} {
		got, err := child.SplitWords(c.text)
		if err != nil || !slices.Equal(got, c.want) {
			t.Errorf("%s: got %q, %v, want %q", c.text, got, err, c.want)
		}
		var quoted []string
		for _, word := range got {
			q, err := quoteWord(word)
			if err != nil {
				t.Errorf("%q: %v", word, err)
			}
			quoted = append(quoted, q)
		}
		if again, err := child.SplitWords(strings.Join(quoted, " ")); err != nil || !slices.Equal(again, c.want) {
			t.Errorf("%q: got %q, %v, want %q", quoted, again, err, c.want)
		}
	}
	if words, err := child.SplitWords(`a 'b`); err == nil {
		t.Errorf("got %q, want an error", words)
	}
	if text, err := quoteWord(`a'b"c d`); err == nil {
		t.Errorf("got %s, want an error", text)
	}
}

// The go command caches results by the value of -exec, which differs between settings and contains the user's command.
func TestExecFlag(t *testing.T) {
	flag := func(x *exploration, args ...string) string {
		t.Helper()
		rest, flag, err := x.execFlag(args, "from GOFLAGS")
		if err != nil || !slices.Equal(rest, []string{"./x"}) {
			t.Fatalf("%q remain, %v", rest, err)
		}
		return flag
	}
	of := func(c explorer.Config) *exploration { return &exploration{Options: explorer.Options{Config: c}} }
	plain := flag(of(explorer.Config{Seed: 1}), "./x")
	if !strings.HasPrefix(plain, "-exec=") || !strings.HasSuffix(plain, " 2 from GOFLAGS") {
		t.Errorf("got %s", plain)
	}
	if got := flag(of(explorer.Config{Seed: 1}), "-exec", "time -p", "./x"); !strings.HasSuffix(got, " 2 time -p") {
		t.Errorf("got %s", got)
	}
	other := &exploration{store: "s", temp: &scratch.Folder{Path: "u"}, budget: budget{total: 1}}
	if other.Config.Seed, other.Summaries, other.Cores = 1, "t", 2; plain != flag(other, "./x") {
		t.Error("folders of a command are part of the value")
	}
	for i, c := range []explorer.Config{{Seed: 2}, {Seed: 1, NoLeaks: true}, {Seed: 1, Schedules: 1}, {Seed: 1, Time: 1}, {Seed: 1, Delay: 1},
		{Seed: 1, Exhaustive: true}, {Seed: 1, Preemptions: 1}} {
		if flag(of(c), "./x") == plain {
			t.Errorf("settings %d have the same value", i)
		}
	}
	scheduled := of(explorer.Config{Seed: 1})
	if scheduled.Schedule = "x"; flag(scheduled, "./x") == plain {
		t.Error("a schedule has the same value")
	}
}
