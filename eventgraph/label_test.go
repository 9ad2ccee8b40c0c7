package eventgraph_test

import (
	"regexp"
	"strings"
	"testing"

	"github.com/macemc/macemc/eventgraph"
)

// A label between lanes stays short, however long the message is: the whole of it stands in the title.
func TestLongMessagesAreCutInPictures(t *testing.T) {
	g := scripted(t, gossips(), "action n0 greet", "duplicate n1<-n0 hello{From:0}", "lose n1<-n0 hello{From:0}")
	long := strings.Repeat("long ", 20)
	for i := range g.Messages {
		g.Messages[i].Text = long
	}
	svg := string(render(t, g.SVG, eventgraph.Options{Fold: -1}))
	titles := regexp.MustCompile(`<title>[^<]*</title>`)
	if !strings.Contains(svg, long) || strings.Contains(titles.ReplaceAllString(svg, ""), long) {
		t.Error("a long message is not cut, or is nowhere whole")
	}
}
