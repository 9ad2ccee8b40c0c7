package payload

import "strings"

// decodeHTTP describes a request or a response of HTTP/1.1 by its first line and the start of its body, as in
// `POST /k "x"` and `200 OK "x"`.
func decodeHTTP(data string) (text string, ok bool) {
	head, body, ok := strings.Cut(data, "\r\n\r\n")
	if !ok {
		return "", false
	}
	line, _, _ := strings.Cut(head, "\r\n")
	if text, ok = strings.CutPrefix(line, "HTTP/1.1 "); !ok {
		if text, ok = strings.CutSuffix(line, " HTTP/1.1"); !ok || strings.Count(text, " ") != 1 {
			return "", false
		}
	}
	if body != "" {
		text += " " + Quote(body)
	}
	return text, true
}
