package live

import (
	"bufio"
	"context"
	"slices"
	"strconv"
	"strings"
	"time"
)

// commands returns the lines of standard input.
func (x *fleet) commands() <-chan string {
	lines := make(chan string)
	if x.a.Stdin == nil {
		return nil
	}
	go func() {
		defer close(lines)
		for in := bufio.NewScanner(x.a.Stdin); in.Scan(); {
			lines <- in.Text()
		}
	}()
	return lines
}

// command executes a command of the user. It returns true to end the run.
func (x *fleet) command(ctx context.Context, line string) bool {
	words := strings.Fields(line)
	if len(words) == 0 {
		return false
	}
	switch words[0] {
	case "quit":
		return true
	case "state":
		x.judge(ctx, true)
		return false
	case "kill", "start", "do":
		if len(words) == 3 || words[0] != "do" && len(words) == 2 {
			if n, err := strconv.Atoi(words[1]); err == nil && n >= 0 && n < len(x.nodes) {
				if words[0] == "do" {
					x.act(n, words[2])
				} else {
					x.do(scheduledAction{0, words[0] == "kill", n})
				}
				return false
			}
		}
	}
	x.say("%q is not a command; known are kill N, start N, do N ACTION (N from 0 to %d), state, quit", line, len(x.nodes)-1)
	return false
}

// printStuck prints the handlers that do not return, if they have changed.
func (x *fleet) printStuck() {
	for node, p := range x.nodes {
		if p == nil || p.stuckIn() == p.printed {
			continue
		}
		if was := p.printed; p.stuckIn() == "" {
			x.say("n%d: the handler has returned: %s", node, was)
		} else {
			x.say("n%d: a handler does not return: %s", node, p.stuckIn())
		}
		p.printed = p.stuckIn()
	}
}

// act makes a node execute an action, and waits for the result.
func (x *fleet) act(node int, action string) {
	p := x.nodes[node]
	if p == nil {
		x.say("n%d is not up", node)
		return
	}
	if !slices.Contains(x.subject.System.ActionNames(), action) {
		x.say("unknown action %q; the actions are %s", action, strings.Join(x.subject.System.ActionNames(), ", "))
		return
	}
	select {
	case <-p.acted: // a late answer to an earlier request
	default:
	}
	p.sendOrder("do " + action)
	select {
	case did := <-p.acted:
		x.say("n%d %s %s", node, map[bool]string{true: "does", false: "cannot do"}[did == "done"], action)
	case <-p.done:
	case <-time.After(10 * time.Second):
		x.say("n%d does not answer", node)
	}
}
