package payload

import (
	"encoding/json"
	"strings"
)

// decodeJSON shows lines that are objects in JSON.
func decodeJSON(data string) (text string, ok bool) {
	lines, ok := strings.CutSuffix(data, "\n")
	if !ok {
		return "", false
	}
	for line := range strings.SplitSeq(lines, "\n") {
		if !strings.HasPrefix(line, "{") || !json.Valid([]byte(line)) {
			return "", false
		}
	}
	return strings.ReplaceAll(lines, "\n", " "), true
}
