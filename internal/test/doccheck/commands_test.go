package doccheck_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var (
	// inline is a command in a sentence, and line one in a block.
	inline = regexp.MustCompile("`((?:macemc|go run \\./evaluation) [^`]*)`")
	line   = regexp.MustCompile(`(?m)^(?:[a-z]*\$ |    )?((?:printf \S+ \| )?(?:bin/)?(?:macemc|go run \./evaluation) .*)$`)
	// target is a target of the Makefile.
	target = regexp.MustCompile(`(?m)(?:^(?:    )?|` + "`" + `)make ([a-z-]+)`)
	test   = regexp.MustCompile(`go test (?:-\S+ )*\./\S+ .*-run '?\^?(Test\w+)`)
)

// help runs commands with --help, which checks their flags, and notes those that are refused.
const help = `try() { program=$1; shift; out=$("$BIN/$program" "$@" --help 2>&1) || echo "$out" >>"$REFUSED"
case "$program $1 $out" in *"Usage:
  macemc $1"*|*"Usage:
  evaluation $1"*|*"Usage:
  go run ./evaluation $1"*) ;; *) echo "$program has no command $1" >>"$REFUSED" ;; esac; }
macemc() { try macemc "$@"; }
go() { shift 2; try evaluation "$@"; }
`

// Every command on every page exists, with its flags.
func TestCommands(t *testing.T) {
	if testing.Short() {
		t.Skip("builds the programs")
	}
	root, err := filepath.Abs("../../..")
	if err != nil {
		t.Fatal(err)
	}
	bin, dir := programs(t, root), t.TempDir()
	refused := filepath.Join(dir, "refused")
	tried := map[string]bool{}
	for _, page := range markdown(t, root) {
		if strings.HasPrefix(page, "docs/commands/") || strings.HasPrefix(page, "evaluation/") || page == "CHANGELOG.md" {
			continue // made of the commands, or of those of another time
		}
		text, err := os.ReadFile(filepath.Join(root, page))
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range append(inline.FindAllStringSubmatch(string(text), -1), line.FindAllStringSubmatch(string(text), -1)...) {
			command := regexp.MustCompile(`\.\.\.|[^\x00-\x7f]|\[|\]|  .*$`).ReplaceAllString(strings.TrimPrefix(m[1], "bin/"), " ")
			command = regexp.MustCompile(`'[^']*'`).ReplaceAllString(command, "QUOTED")
			command = regexp.MustCompile(`\| +bin/|#.*$|[<>|&;].*$`).ReplaceAllStringFunc(command, func(s string) string {
				if strings.HasPrefix(s, "|") && strings.Contains(s, "macemc") {
					return strings.Replace(s, "bin/", "", 1)
				}
				return ""
			})
			if tried[command] || strings.HasPrefix(command, "macemc path ") || strings.HasPrefix(command, "go run ./evaluation/") {
				continue
			}
			tried[command] = true
			cmd := exec.Command("sh", "-c", help+command)
			cmd.Dir = dir
			cmd.Env = append(os.Environ(), "BIN="+bin, "REFUSED="+refused)
			out, err := cmd.CombinedOutput()
			if why, _ := os.ReadFile(refused); err != nil || len(why) > 0 {
				t.Errorf("%s: %s\n%s%s", page, m[1], out, why)
			}
			os.Remove(refused)
		}
	}
	if len(tried) < 30 {
		t.Errorf("only %d commands were tried", len(tried))
	}
}

// Every target of make on every page exists, and so does every test.
func TestTargets(t *testing.T) {
	const root = "../../.."
	makefile, err := os.ReadFile(filepath.Join(root, "Makefile"))
	if err != nil {
		t.Fatal(err)
	}
	all := strings.Join(sources(t), "\n")
	for _, page := range markdown(t, root) {
		text, err := os.ReadFile(filepath.Join(root, page))
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range target.FindAllStringSubmatch(string(text), -1) {
			if !strings.Contains(string(makefile), "\n"+m[1]+":") {
				t.Errorf("%s: make has no target %s", page, m[1])
			}
		}
		for _, m := range test.FindAllStringSubmatch(string(text), -1) {
			if !strings.Contains(all, "func "+m[1]) {
				t.Errorf("%s: there is no test %s", page, m[1])
			}
		}
	}
}

// No line of help is wider than 100 columns: the pages of the commands are made of their help.
func TestHelpWidth(t *testing.T) {
	pages, err := filepath.Glob("../../../docs/commands/*.md")
	if err != nil || len(pages) < 20 {
		t.Fatalf("%d pages: %v", len(pages), err)
	}
	for _, page := range pages {
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		for l := range strings.Lines(string(text)) {
			if n := len([]rune(strings.TrimSuffix(l, "\n"))); n > 100 {
				t.Errorf("%s has a line of %d columns: %s", filepath.Base(page), n, l)
			}
		}
	}
}
