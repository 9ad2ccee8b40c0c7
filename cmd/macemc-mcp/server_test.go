package main

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/macemc/macemc/cmd/macemc/program"
)

const mainVar = "MACEMC_TEST_MAIN"

// TestMain makes this test binary the program.
func TestMain(m *testing.M) {
	if os.Getenv(mainVar) != "" {
		os.Exit(program.Main(config(), os.Args[1:]))
	}
	os.Exit(m.Run())
}

// macemc returns a command of the program.
func macemc(args ...string) *exec.Cmd {
	cmd := exec.Command(os.Args[0], args...)
	cmd.Env = append(os.Environ(), mainVar+"=1")
	return cmd
}

// write creates files in a folder and returns the folder.
func write(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		name = filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// connect returns an in-memory client of a server for the module in a folder.
func connect(t *testing.T, dir string) *mcp.ClientSession {
	t.Helper()
	server, err := newServer(dir, program.Systems(), macemc)
	if err != nil {
		t.Fatal(err)
	}
	mine, theirs := mcp.NewInMemoryTransports()
	if _, err := server.Connect(t.Context(), theirs, nil); err != nil {
		t.Fatal(err)
	}
	return client(t, mine)
}

func client(t *testing.T, transport mcp.Transport) *mcp.ClientSession {
	t.Helper()
	c, err := mcp.NewClient(&mcp.Implementation{Name: "test"}, nil).Connect(t.Context(), transport, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	return c
}

type object map[string]any

// call calls a tool. If failed, the text is that of an error.
func call(t *testing.T, c *mcp.ClientSession, name string, arguments object) (r result, text string, failed bool) {
	t.Helper()
	answer, err := c.CallTool(t.Context(), &mcp.CallToolParams{Name: name, Arguments: arguments})
	if err != nil {
		return r, err.Error(), true
	}
	for _, content := range answer.Content {
		if t, ok := content.(*mcp.TextContent); ok {
			text += t.Text
		}
	}
	if answer.IsError {
		return r, text, true
	}
	structured, err := json.Marshal(answer.StructuredContent)
	if err == nil {
		err = json.Unmarshal(structured, &r)
	}
	if err != nil {
		t.Fatal(err)
	}
	return r, text, false
}

// search finds a violation, and the other tools accept its id.
func TestTools(t *testing.T) {
	dir := write(t, map[string]string{"go.mod": "module example.com/m\n"})
	c := connect(t, dir)
	list, err := c.ListTools(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, tool := range list.Tools {
		names = append(names, tool.Name)
	}
	if got, want := strings.Join(names, " "), "explain replay search shrink state step test"; got != want {
		t.Errorf("tools %s, want %s", got, want)
	}
	r, text, failed := call(t, c, "search", object{"system": "pingack", "seconds": 30})
	if failed || len(r.Findings) != 1 || r.Verdict != "violation" {
		t.Fatalf("search: %s, %+v", text, r)
	}
	f := r.Findings[0]
	if f.System != "pingack" || f.Kind != "liveness" || f.Property != "every ping is acknowledged" || f.Critical != 3 || f.Steps < 10 || f.Handler == "" {
		t.Errorf("got %+v, want the liveness violation of pingack with critical step 3", f)
	}
	for _, x := range []struct {
		tool      string
		arguments object
		verdict   string
		wants     []string
	}{
		{"explain", object{"id": f.ID}, "explained", []string{"LIVENESS VIOLATION", "certainty:"}},
		{"replay", object{"id": f.ID}, "violation", []string{"change no node", "the finding that the file records recurs"}},
		{"step", object{"id": f.ID, "step": 2}, "shown", []string{"step 2 of", "Ping{1}", "why"}},
		{"state", object{"id": f.ID, "step": 2}, "shown", []string{"Seen", "Sent", "Ack{1}"}},
		{"state", object{"id": f.ID, "step": 2, "node": 1, "pattern": "Seen|Nothing"}, "shown", []string{"Seen"}},
		{"shrink", object{"id": f.ID}, "violation", []string{"error-shrunk1.path"}},
	} {
		r, text, failed := call(t, c, x.tool, x.arguments)
		if failed || r.Verdict != x.verdict {
			t.Errorf("%s: verdict %q, want %q: %s", x.tool, r.Verdict, x.verdict, text)
			continue
		}
		for _, want := range x.wants {
			if !strings.Contains(r.Text, want) {
				t.Errorf("%s: %q is missing in\n%s", x.tool, want, r.Text)
			}
		}
		if len(r.Text) > maxText+100 {
			t.Errorf("%s: %d bytes", x.tool, len(r.Text))
		}
		if x.tool == "state" && x.arguments["pattern"] != nil && strings.Contains(r.Text, "Sent") {
			t.Errorf("the state has more than was asked for:\n%s", r.Text)
		}
		if x.tool == "shrink" && (len(r.Findings) != 1 || r.Findings[0].ID != strings.TrimSuffix(f.ID, ".path")+"-shrunk1.path") {
			t.Errorf("shrink: %+v", r.Findings)
		}
	}
	if r, text, failed := call(t, c, "search", object{"system": "twophase", "strategy": "bfs"}); failed || r.Verdict != "no violation" || !strings.Contains(r.Text, "every state within the limits was visited") {
		t.Errorf("%+v, %s", r, text)
	}
	for want, arguments := range map[string]object{
		"lost datagrams": {"system": "randtree", "limits": object{"loss": 1}},
		"Never":          {"system": "randtree", "timing": "Never"},
		"strategy":       {"system": "randtree", "limits": object{"strategy": 1}},
	} {
		if _, text, failed := call(t, c, "search", arguments); !failed || !strings.Contains(text, want) {
			t.Errorf("%v: %s", arguments, text)
		}
	}
	if _, text, failed := call(t, c, "search", object{"system": "twophase", "strategy": "best"}); !failed || !strings.Contains(text, `--strategy "best" is not available`) {
		t.Errorf("%s", text)
	}
}

// Nothing outside the module is executed.
func TestTools_Outside(t *testing.T) {
	const head = "macemc path 1\nsystem s\nnodes 1\n"
	dir := write(t, map[string]string{
		"go.mod": "module example.com/m\n", "other/go.mod": "module example.com/other\n", "other/a.path": head + "end 0\n", "text.path": "text\n",
		"foreign.path": head + "package example.com/mine\ntest TestX\nend 0\n", "folder.path": head + "package ./mine\ntest TestX\nend 0\n",
		"flags.path":   "macemc schedule 1\npackage example.com/m\ntest TestX\nflags -exec=./x.sh\nend 0\n",
		"package.path": "macemc schedule 1\npackage -exec=./x.sh\ntest TestX\nend 0\n", "-x.path": head + "end 0\n",
	})
	elsewhere := write(t, map[string]string{"go.mod": "module example.com/e\n", "a.path": head + "end 0\n"})
	if err := os.Symlink(elsewhere, filepath.Join(dir, "link")); err != nil {
		t.Skip(err)
	}
	server := func(args ...string) *exec.Cmd {
		t.Errorf("%v is executed", args)
		return macemc(args...)
	}
	s, err := newServer(dir, program.Systems(), server)
	if err != nil {
		t.Fatal(err)
	}
	mine, theirs := mcp.NewInMemoryTransports()
	if _, err := s.Connect(t.Context(), theirs, nil); err != nil {
		t.Fatal(err)
	}
	c := client(t, mine)
	for _, pkg := range []string{"../x", "/tmp", "./..", "./../...", "std", "fmt", "./other", "./other/...", "./link", "./none", "-exec=/bin/true", ""} {
		for tool, argument := range map[string]string{"test": "package", "search": "system"} {
			if _, text, failed := call(t, c, tool, object{argument: pkg}); !failed {
				t.Errorf("%s of %q is accepted: %s", tool, pkg, text)
			}
		}
	}
	for _, id := range []string{"../a.path", "/etc/passwd", "link/a.path", "other/a.path", "none.path", "text.path", "foreign.path", "folder.path", "flags.path", "package.path", "-x", "-x.path", "go.mod"} {
		for _, tool := range []string{"explain", "replay", "step", "state", "shrink"} {
			arguments := object{"id": id}
			if tool == "step" || tool == "state" {
				arguments["step"] = 0
			}
			if _, text, failed := call(t, c, tool, arguments); !failed {
				t.Errorf("%s of %s is accepted: %s", tool, id, text)
			}
		}
	}
	for _, name := range []string{"-exec", "Other", "TestX|TestY", "TestX -exec"} {
		if _, text, failed := call(t, c, "test", object{"package": ".", "test": name}); !failed {
			t.Errorf("test %q is accepted: %s", name, text)
		}
	}
	for _, pattern := range []string{"a/; save x", `a\/; save x`, "a'b", "a\nb"} {
		if _, text, failed := call(t, c, "state", object{"id": "foreign.path", "step": 0, "pattern": pattern}); !failed {
			t.Errorf("pattern %q is accepted: %s", pattern, text)
		}
	}
	if _, err := newServer(t.TempDir(), nil, server); err == nil {
		t.Error("a folder without a module is accepted")
	}
}

// Tests are explored, and their schedules are findings like others.
func TestTools_Schedules(t *testing.T) {
	if testing.Short() {
		t.Skip("builds the standard library the first time")
	}
	dir := write(t, map[string]string{"go.mod": "module example.com/m\n\ngo 1.26\n", "wait/wait_test.go": `package wait

import "testing"

func TestWait(t *testing.T) {
	c := make(chan int)
	go func() { c <- 1 }()
	<-c
	<-c
}
`, "order/order_test.go": `package order

import "testing"

func TestOrder(t *testing.T) {
	c := make(chan int, 2)
	go func() { c <- 1 }()
	go func() { c <- 2 }()
	if <-c == 2 {
		t.Error("two")
	}
}
`})
	c := connect(t, dir)
	r, text, failed := call(t, c, "test", object{"package": "./...", "test": "TestWait", "schedules": 10})
	if failed || r.Verdict != "violation" || len(r.Findings) != 1 {
		t.Fatalf("%s, %+v", text, r)
	}
	f := r.Findings[0]
	if f.ID != "wait/testdata/macemc/TestWait/deadlock-1.path" || f.System != "example.com/m/wait:TestWait" || !strings.Contains(f.Message, "DEADLOCK") {
		t.Errorf("got %+v, want the deadlock of TestWait", f)
	}
	for tool, want := range map[string]string{"explain": "g1 TestWait", "replay": "DEADLOCK"} {
		if r, text, failed := call(t, c, tool, object{"id": f.ID}); failed || !strings.Contains(r.Text, want) {
			t.Errorf("%s: %q is missing: %s, %+v", tool, want, text, r)
		}
	}
	acceptedFinding(t, dir, c)
}

// A finding that is accepted is not "no violation".
func acceptedFinding(t *testing.T, dir string, c *mcp.ClientSession) {
	order := object{"package": "./order", "schedules": 50}
	r, text, failed := call(t, c, "test", order)
	if failed || r.Verdict != "violation" || len(r.Findings) != 1 {
		t.Fatalf("%s, %+v", text, r)
	}
	file := filepath.Join(dir, filepath.FromSlash(r.Findings[0].ID))
	path, err := os.ReadFile(file)
	if err == nil {
		err = os.WriteFile(file, []byte(strings.Replace(string(path), "\n", "\nknown issue 1\n", 1)), 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	if r, text, failed := call(t, c, "test", order); failed || r.Verdict != "only known violations" {
		t.Errorf("%s, %+v", text, r)
	}
}

// The program serves on its standard input and output.
func TestStdio(t *testing.T) {
	cmd := macemc("mcp")
	cmd.Dir = write(t, map[string]string{"go.mod": "module example.com/m\n"})
	c := client(t, &mcp.CommandTransport{Command: cmd})
	if r, text, failed := call(t, c, "search", object{"system": "pingack"}); failed || len(r.Findings) != 1 {
		t.Errorf("%s, %+v", text, r)
	}
	if _, text, failed := call(t, c, "search", object{"system": "/"}); !failed {
		t.Errorf("%s", text)
	}
}

// The omitted part of a long text is counted.
func TestShort(t *testing.T) {
	text := short(strings.Repeat("0123456789\n", 1000))
	if len(text) > maxText+100 || !strings.Contains(text, "\n... 456 lines left out; ask for a part ...\n") || !strings.HasPrefix(text, "0123456789\n") || !strings.HasSuffix(text, "\n0123456789") {
		t.Errorf("%d bytes:\n%s", len(text), text)
	}
	if got := short("a\nb\n"); got != "a\nb" {
		t.Errorf("got %q", got)
	}
}
