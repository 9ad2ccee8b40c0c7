package eventgraph

import "html/template"

// legendEntry explains a sign of the graph.
type legendEntry struct {
	Sign template.HTML // the content of an SVG of 26 by 14 pixels
	Text string
}

var legend = []legendEntry{
	{`<circle class="dot actions" cx="13" cy="7" r="4.5"/>`, "action"},
	{`<circle class="dot messages" cx="13" cy="7" r="4.5"/>`, "message handled"},
	{`<circle class="dot timers" cx="13" cy="7" r="4.5"/>`, "timer fires"},
	{`<circle class="dot faults" cx="13" cy="7" r="4.5"/><path class="x" d="M9 3l8 8m0 -8l-8 8"/>`, "node crashes"},
	{`<line class="msg" x1="1" y1="7" x2="25" y2="7"/>`, "message"},
	{`<line class="gone" x1="1" y1="7" x2="25" y2="7"/>`, "lost"},
	{`<line class="waiting" x1="1" y1="7" x2="25" y2="7"/>`, "still in flight"},
	{`<path class="armed" d="M13 0v14"/>`, "timer set"},
	{`<line class="down" x1="13" y1="0" x2="13" y2="14"/>`, "node down"},
	{`<rect class="is-live" x="11" y="0" width="4" height="14"/>`, "state is live"},
	{`<rect class="mark" x="0" y="0" width="26" height="14"/>`, "critical step"},
}
