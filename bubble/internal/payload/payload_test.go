package payload

import (
	"strings"
	"testing"
)

func TestDecode(t *testing.T) {
	for _, c := range []struct{ data, want string }{
		{"", ""},
		{"PUB s 2\r\n", ""},
		{"POST /k HTTP/1.1\r\nHost: n0\r\n\r\nx", `POST /k "x"`},
		{"GET /k HTTP/1.1\r\nHost: n0\r\n\r\n", "GET /k"},
		{"HTTP/1.1 404 Not Found\r\n\r\n" + strings.Repeat("a", 25), `404 Not Found "aaaaaaaaaaaaaaaaaaaaaaaa"..`},
		{"HTTP/1.1 200 OK\r\nContent-Length: 2", ""}, // cut
		{"GET HTTP/1.1\r\n\r\n", ""},
		{"*3\r\n$3\r\nset\r\n$1\r\nk\r\n$1\r\nv\r\n*2\r\n$3\r\nGET\r\n$1\r\nk\r\n", `SET "k" "v"; GET "k"`},
		{"+OK\r\n$-1\r\n:3\r\n-ERR no\r\n$1\r\nv\r\n", `+OK; nil; :3; -ERR no; "v"`},
		{"*2\r\n$1\r\nA\r\n:1\r\n", `["A" :1]`},
		{"*0\r\n%1\r\n$1\r\nk\r\n*1\r\n#t\r\n", `[]; ["k" [#t]]`},
		{"*2\r\n$3\r\nGET\r\n$1\r\n", ""}, // cut
		{"*999999999\r\n", ""},
		{"$9999999999999999999\r\n", ""},
		{"{\"a\":1}\n{\"b\":[]}\n", `{"a":1} {"b":[]}`},
		{`{"a":1}`, ""},
		{"{\"a\":\n", ""},
		{"[1]\n", ""},
		{"+" + strings.Repeat("a", 200) + "\r\n", ""},
	} {
		if got, ok := Decode(c.data); got != c.want || ok != (c.want != "") {
			t.Errorf("Decode(%q) = %q, %v; want %q", c.data, got, ok, c.want)
		}
	}
}

// Decoders accept all data.
func FuzzDecode(f *testing.F) {
	f.Add("*1\r\n$4\r\nPING\r\n")
	f.Fuzz(func(_ *testing.T, data string) { Decode(data) })
}
