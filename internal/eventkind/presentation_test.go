package eventkind

import "testing"

func TestTemplateFill(t *testing.T) {
	for _, c := range []struct {
		t                      Template
		node, peer, what, want string
	}{
		{"{node} receives {what} from {peer}", "n0", "n1", "Ping{2}", "n0 receives Ping{2} from n1"},
		{"{what}", "n0", "n1", "{node} {what", "{node} {what"}, // inserted text is not a template
		{"error with {peer} {what}", "n0", "n1", "", "error with n1"},
		{"{node} crashes", "", "", "", " crashes"},
		{"CRASH", "n0", "n1", "", "CRASH"},
		{"", "n0", "n1", "x", ""},
	} {
		if got := c.t.Fill(c.node, c.peer, c.what); got != c.want {
			t.Errorf("%q: %q, want %q", c.t, got, c.want)
		}
	}
}
