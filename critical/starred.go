package critical

import "strings"

// fewValues is the minimum number of values of a number that are shown separately, or the number of nodes if that
// is greater.
const fewValues = 4

// starred merges events that differ only in numbers with more than few values, such as rounds and packets. It
// replaces these numbers by stars.
func starred(repeats []Repeat, few int) []Repeat {
	values := map[string][]map[string]bool{} // by text without numbers: the values of each number
	for _, r := range repeats {
		frame, numbers := cutNumbers(r.Event)
		if values[frame] == nil {
			values[frame] = make([]map[string]bool, len(numbers))
		}
		for i, n := range numbers {
			if values[frame][i] == nil {
				values[frame][i] = map[string]bool{}
			}
			values[frame][i][n] = true
		}
	}
	index := map[string]int{}
	var out []Repeat
	for _, r := range repeats {
		frame, numbers := cutNumbers(r.Event)
		var text strings.Builder
		for i, part := range strings.Split(frame, hole) {
			if i > 0 && len(values[frame][i-1]) > few {
				text.WriteString("*")
			} else if i > 0 {
				text.WriteString(numbers[i-1])
			}
			text.WriteString(part)
		}
		r.Event = text.String()
		k, ok := index[r.Event]
		if !ok {
			k = len(out)
			index[r.Event] = k
			out = append(out, Repeat{Event: r.Event})
		}
		out[k].Count += r.Count
		out[k].Changes += r.Changes
	}
	return out
}

// hole is the placeholder of a removed number.
const hole = "\x00"

// cutNumbers removes the numbers from a text, except those in names like n1.
func cutNumbers(text string) (frame string, numbers []string) {
	var b strings.Builder
	for i := 0; i < len(text); {
		j := i
		for j < len(text) && '0' <= text[j] && text[j] <= '9' {
			j++
		}
		switch {
		case j == i:
			b.WriteByte(text[i])
			i++
		case i > 0 && inName(text[i-1]):
			b.WriteString(text[i:j])
			i = j
		default:
			b.WriteString(hole)
			numbers = append(numbers, text[i:j])
			i = j
		}
	}
	return b.String(), numbers
}

func inName(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || c == '_' || c >= 0x80
}
