package screen

import (
	"bytes"
	"context"
	"strings"
	"unicode/utf8"
)

// edit handles a key in the command line.
func (m *Model) edit(k Key) func(context.Context) Done {
	if k.Name != Tab {
		m.offers = nil
	}
	m.message, m.failed = "", false
	switch k.Name {
	case "":
		m.line = append(m.line[:m.cursor:m.cursor], append([]rune{k.Rune}, m.line[m.cursor:]...)...)
		m.cursor++
	case Escape, Stop:
		m.typing = false
	case Enter:
		m.typing = false
		if line := strings.TrimSpace(string(m.line)); line != "" {
			if n := len(m.history); n == 0 || m.history[n-1] != line {
				m.history = append(m.history, line)
			}
			return m.execute(line)
		}
	case Backspace:
		if m.cursor == 0 && len(m.line) == 0 {
			m.typing = false
		} else if m.cursor > 0 {
			m.line = append(m.line[:m.cursor-1:m.cursor-1], m.line[m.cursor:]...)
			m.cursor--
		}
	case Delete:
		if m.cursor < len(m.line) {
			m.line = append(m.line[:m.cursor:m.cursor], m.line[m.cursor+1:]...)
		}
	case Left:
		m.cursor = max(0, m.cursor-1)
	case Right:
		m.cursor = min(len(m.line), m.cursor+1)
	case Home, LineStart:
		m.cursor = 0
	case End, LineEnd:
		m.cursor = len(m.line)
	case Kill:
		m.line, m.cursor = m.line[m.cursor:], 0
	case Word:
		at := m.cursor
		for at > 0 && m.line[at-1] == ' ' {
			at--
		}
		for at > 0 && m.line[at-1] != ' ' {
			at--
		}
		m.line, m.cursor = append(m.line[:at:at], m.line[m.cursor:]...), at
	case Up:
		m.remember(-1)
	case Down:
		m.remember(1)
	case Tab:
		m.complete()
	}
	return nil
}

// remember recalls an earlier line.
func (m *Model) remember(by int) {
	to := m.recall + by
	if to < 0 || to > len(m.history) {
		return
	}
	if m.recall == len(m.history) {
		m.draft = m.line
	}
	if m.recall = to; to == len(m.history) {
		m.line = m.draft
	} else {
		m.line = []rune(m.history[to])
	}
	m.cursor = len(m.line)
}

// complete extends the word at the cursor to the common prefix of its completions.
func (m *Model) complete() {
	head, tail := string(m.line[:m.cursor]), m.line[m.cursor:]
	words, begin := m.session.Complete(head)
	if len(words) == 0 {
		m.offers, m.message = nil, "nothing to complete"
		return
	}
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
		m.offers = words
	}
	head = head[:begin] + same
	m.line, m.cursor = append([]rune(head), tail...), len([]rune(head))
}

// execute starts a command.
func (m *Model) execute(line string) func(context.Context) Done {
	m.busy = line
	return func(ctx context.Context) Done {
		var b bytes.Buffer
		err := m.session.Do(ctx, line, &b)
		return Done{line, b.String(), err}
	}
}
