package eventgraph

import "testing"

func TestArguments_LabelDistinguishesMessagesOfAKind(t *testing.T) {
	g := &Graph{Messages: []Message{
		{Text: "Join{Source:1 Epoch:{Node:1 Count:1} By:-1}"},
		{Text: "Join{Source:1 Epoch:{Node:2 Count:1} By:-1}"},
		{Text: "Vote Term:1 Log:0/0"}, {Text: "Vote Term:2 Log:0/0"},
		{Text: "Only{Key:1 Value:\"a b\"}"},
	}}
	a := argumentsOf(g)
	for _, c := range []struct {
		text string
		room int
		want string
	}{
		{g.Messages[0].Text, 80, g.Messages[0].Text},
		{g.Messages[0].Text, 28, "Join{Epoch:{Node:1 Count:1}}"},
		{g.Messages[1].Text, 27, "Join{{Node:2 Count:1}}"},
		{g.Messages[1].Text, 12, "Join{{Node:…"},
		{g.Messages[1].Text, 6, "Join"},
		{g.Messages[1].Text, 3, ""},
		{g.Messages[3].Text, 12, "Vote{Term:2}"},
		{g.Messages[3].Text, 8, "Vote{2}"},
		{g.Messages[4].Text, 12, "Only{1 \"a b…"},
	} {
		if got := a.label(c.text, c.room); got != c.want {
			t.Errorf("%s in %d letters: got %s, want %s", c.text, c.room, got, c.want)
		}
	}
}
