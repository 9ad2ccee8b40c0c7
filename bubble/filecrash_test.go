package bubble

import (
	"maps"
	"slices"
	"strings"
	"testing"
)

// A crash leaves exactly these trees.
func TestCrash_Survivors(t *testing.T) {
	const log, sub = 2, 3
	create := change{op: createFile, ino: log, dir: rootInode, name: "log"}
	for _, c := range []struct {
		name    string
		changes []change
		want    []string
	}{
		{"nothing", nil, []string{""}},
		{"a file that is not synced", []change{create, {op: writeData, ino: log, data: []byte("abcd")}},
			[]string{"", `/log "ab"`, `/log "abcd"`, `/log ""`}},
		{"the file is synced, and not its directory",
			[]change{create, {op: writeData, ino: log, data: []byte("abcd")}, {op: syncInode, ino: log}},
			[]string{"", `/log "abcd"`}},
		{"both are synced", []change{create, {op: writeData, ino: log, data: []byte("abcd")}, {op: syncInode, ino: log},
			{op: syncInode, ino: rootInode}},
			[]string{`/log "abcd"`}},
		{"appended after the syncs",
			[]change{create, {op: syncInode, ino: rootInode}, {op: writeData, ino: log, data: []byte("a")}, {op: syncInode, ino: log},
				{op: writeData, ino: log, at: 1, data: []byte("b")}, {op: writeData, ino: log, at: 2, data: []byte("c")}},
			[]string{`/log "a"`, `/log "ab"`, `/log "abc"`}},
		{"renamed over another", []change{create, {op: createFile, ino: sub, dir: rootInode, name: "new"}, {op: syncInode, ino: rootInode},
			{op: writeData, ino: sub, data: []byte("n")}, {op: syncInode, ino: sub},
			{op: moveEntry, ino: sub, dir: rootInode, name: "new", toDir: rootInode, to: "log"}},
			[]string{`/log "" /new "n"`, `/log "n"`}},
		{"moved to a directory that is synced", []change{create, {op: createDir, ino: sub, dir: rootInode, name: "sub"},
			{op: moveEntry, ino: log, dir: rootInode, name: "log", toDir: sub, to: "log"}, {op: syncInode, ino: sub}},
			[]string{`/sub/ /sub/log ""`}},
		{"moved to a directory", []change{create, {op: createDir, ino: sub, dir: rootInode, name: "sub"}, {op: syncInode, ino: rootInode},
			{op: moveEntry, ino: log, dir: rootInode, name: "log", toDir: sub, to: "log"}},
			[]string{`/log "" /sub/`, `/sub/ /sub/log ""`}},
	} {
		got := map[string]bool{}
		for picks := []int{}; ; {
			at := 0
			var arities []int
			left := crash(newTree(), c.changes, "/data", func(_ string, n int) int {
				if at == len(picks) {
					picks = append(picks, 0)
				}
				arities = append(arities, n)
				at++
				return picks[at-1]
			})
			text := string(left.append(nil))
			got[text] = true
			if back, err := parseTree([]byte(text)); err != nil || string(back.append(nil)) != text {
				t.Fatalf("%s: %v from %q", c.name, err, text)
			}
			picks = picks[:at]
			for at--; at >= 0 && picks[at]+1 == arities[at]; at-- {
				picks = picks[:at]
			}
			if at < 0 {
				break
			}
			picks[at]++
		}
		var texts []string
		for _, text := range slices.Sorted(maps.Keys(got)) {
			texts = append(texts, brief(text))
		}
		slices.Sort(texts)
		slices.Sort(c.want)
		if !slices.Equal(texts, c.want) {
			t.Errorf("%s: left %q, want %q", c.name, texts, c.want)
		}
	}
}

// brief lists the paths of an encoded tree with the contents of files.
func brief(tree string) string {
	var list []string
	for line := range strings.Lines(tree) {
		kind, rest, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		name, data, _ := strings.Cut(rest, " ")
		name = strings.Trim(name, `"`)
		switch {
		case name == "":
		case kind == "dir":
			list = append(list, name+"/")
		default:
			list = append(list, name+" "+data)
		}
	}
	return strings.Join(list, " ")
}
