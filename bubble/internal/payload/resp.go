package payload

import (
	"strconv"
	"strings"
)

// decodeRESP describes commands and answers of Redis (RESP 2 and 3), as in `SET "k" "v"; GET "k"` and `+OK; :3; nil`.
func decodeRESP(data string) (text string, ok bool) {
	var values []string
	for data != "" {
		value, rest, ok := respValue(data, 0)
		if !ok {
			return "", false
		}
		values, data = append(values, value), rest
	}
	return strings.Join(values, "; "), values != nil
}

// deepestRESP is the depth of the deepest array that respValue describes.
const deepestRESP = 8

// respValue describes the first value of data, and returns the rest.
func respValue(data string, depth int) (value, rest string, ok bool) {
	if data == "" || depth > deepestRESP || !strings.Contains("+-:_#,$*%", data[:1]) {
		return "", "", false
	}
	line, rest, ok := strings.Cut(data, "\r\n")
	if !ok {
		return "", "", false
	}
	kind := line[0]
	if !strings.Contains("$*%", line[:1]) {
		return line, rest, true
	}
	n, err := strconv.Atoi(line[1:])
	switch {
	case err != nil:
		return "", "", false
	case n < 0:
		return "nil", rest, true
	case kind == '$':
		if len(rest) < n+2 || rest[n:n+2] != "\r\n" {
			return "", "", false
		}
		return Quote(rest[:n]), rest[n+2:], true
	case kind == '%':
		n *= 2 // keys and values
	}
	if n > len(rest) {
		return "", "", false
	}
	var elements []string
	for range n {
		var element string
		if element, rest, ok = respValue(rest, depth+1); !ok {
			return "", "", false
		}
		elements = append(elements, element)
	}
	if name, isCommand := commandName(elements); isCommand && depth == 0 && kind == '*' {
		elements[0] = name
		return strings.Join(elements, " "), rest, true
	}
	return "[" + strings.Join(elements, " ") + "]", rest, true
}

// commandName returns the first element of a command in capitals.
func commandName(elements []string) (name string, ok bool) {
	if len(elements) == 0 {
		return "", false
	}
	name, err := strconv.Unquote(elements[0])
	if err != nil || name == "" || strings.Trim(strings.ToUpper(name), "ABCDEFGHIJKLMNOPQRSTUVWXYZ") != "" {
		return "", false
	}
	for _, e := range elements {
		if e[0] != '"' {
			return "", false
		}
	}
	return strings.ToUpper(name), true
}
