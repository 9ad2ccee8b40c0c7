package screen

import (
	"bytes"
	"context"
	"strings"
	"unicode/utf8"
)

// commandLine is the line at the foot of the screen, with the earlier lines.
type commandLine struct {
	typing  bool // it has the keys
	line    []rune
	cursor  int
	history []string
	recall  int // index into history; its length means the current line
	draft   []rune
	offers  []string // completions
}

// open starts a line.
func (c *commandLine) open(text string) {
	c.typing, c.line, c.recall = true, []rune(text), len(c.history)
	c.cursor = len(c.line)
}

// typeIn handles a key in the command line. The result is the line to execute, or "".
func (m *Model) typeIn(k Key) string {
	m.message, m.failed = "", false
	if k.Name != Tab {
		return m.entry.edit(k)
	}
	words, begin := m.session.Complete(m.entry.head())
	if m.entry.complete(words, begin); len(words) == 0 {
		m.message = "nothing to complete"
	}
	return ""
}

// edit handles a key other than Tab. The result is the line if it is complete, or "".
func (c *commandLine) edit(k Key) string {
	c.offers = nil
	switch k.Name {
	case "":
		c.line = append(c.line[:c.cursor:c.cursor], append([]rune{k.Rune}, c.line[c.cursor:]...)...)
		c.cursor++
	case Escape, Stop:
		c.typing = false
	case Enter:
		c.typing = false
		if line := strings.TrimSpace(string(c.line)); line != "" {
			if n := len(c.history); n == 0 || c.history[n-1] != line {
				c.history = append(c.history, line)
			}
			return line
		}
	case Backspace:
		if c.cursor == 0 && len(c.line) == 0 {
			c.typing = false
		} else if c.cursor > 0 {
			c.line = append(c.line[:c.cursor-1:c.cursor-1], c.line[c.cursor:]...)
			c.cursor--
		}
	case Delete:
		if c.cursor < len(c.line) {
			c.line = append(c.line[:c.cursor:c.cursor], c.line[c.cursor+1:]...)
		}
	case Left:
		c.cursor = max(0, c.cursor-1)
	case Right:
		c.cursor = min(len(c.line), c.cursor+1)
	case Home, LineStart:
		c.cursor = 0
	case End, LineEnd:
		c.cursor = len(c.line)
	case Kill:
		c.line, c.cursor = c.line[c.cursor:], 0
	case Word:
		at := c.cursor
		for at > 0 && c.line[at-1] == ' ' {
			at--
		}
		for at > 0 && c.line[at-1] != ' ' {
			at--
		}
		c.line, c.cursor = append(c.line[:at:at], c.line[c.cursor:]...), at
	case Up:
		c.remember(-1)
	case Down:
		c.remember(1)
	}
	return ""
}

// remember recalls an earlier line.
func (c *commandLine) remember(by int) {
	to := c.recall + by
	if to < 0 || to > len(c.history) {
		return
	}
	if c.recall == len(c.history) {
		c.draft = c.line
	}
	if c.recall = to; to == len(c.history) {
		c.line = c.draft
	} else {
		c.line = []rune(c.history[to])
	}
	c.cursor = len(c.line)
}

// head returns the line up to the cursor.
func (c *commandLine) head() string { return string(c.line[:c.cursor]) }

// complete extends the word at the cursor, which starts at byte begin, to the common prefix of its completions.
func (c *commandLine) complete(words []string, begin int) {
	if len(words) == 0 {
		c.offers = nil
		return
	}
	head, tail := c.head(), c.line[c.cursor:]
	same := words[0]
	for _, w := range words {
		for !strings.HasPrefix(w, same) {
			_, last := utf8.DecodeLastRuneInString(same)
			same = same[:len(same)-last]
		}
	}
	if len(words) == 1 && len(tail) == 0 && !strings.HasSuffix(same, "=") {
		same += " "
	}
	if len(words) > 1 {
		c.offers = words
	}
	head = head[:begin] + same
	c.line, c.cursor = append([]rune(head), tail...), len([]rune(head))
}

// execute starts a command.
func (m *Model) execute(line string) func(context.Context) Done {
	m.running.line = line
	return func(ctx context.Context) Done {
		var b bytes.Buffer
		err := m.session.Do(ctx, line, &b)
		return Done{line, b.String(), err}
	}
}
