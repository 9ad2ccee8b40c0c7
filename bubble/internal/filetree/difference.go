package filetree

import (
	"bytes"
	"fmt"
	"strings"
)

// difference describes what a crash changed: all is the tree before it, left the one after it, and synced has what was durable.
func difference(all, left, synced *Tree, dir string) string {
	var parts []string
	all.Walk(func(path string, ino int) {
		if all.Inodes[ino].IsDir() {
			return
		}
		was, durable := all.Inodes[ino].Data, ""
		if i := synced.Inodes[ino]; i != nil && !bytes.Equal(i.Data, was) {
			durable = fmt.Sprintf(", %d synced", len(i.Data))
		}
		_, found, _, err := left.Find(path)
		switch now := left.Inodes[found]; {
		case err != nil || found == 0 || now.IsDir():
			parts = append(parts, fmt.Sprintf("%s%s: absent (it had %d bytes%s)", dir, path, len(was), durable))
		case found != ino:
			parts = append(parts, fmt.Sprintf("%s%s: the file that was there before, of %d bytes", dir, path, len(now.Data)))
		case bytes.Equal(now.Data, was):
		case bytes.HasPrefix(was, now.Data):
			parts = append(parts, fmt.Sprintf("%s%s: %d of %d bytes%s", dir, path, len(now.Data), len(was), durable))
		default:
			parts = append(parts, fmt.Sprintf("%s%s: %d bytes, in part older than the %d before%s", dir, path, len(now.Data), len(was), durable))
		}
	})
	left.Walk(func(path string, ino int) {
		if dir2, found, _, err := all.Find(path); err != nil || found == 0 && dir2 != 0 {
			parts = append(parts, fmt.Sprintf("%s%s: there again", dir, path))
		}
	})
	return strings.Join(parts, "; ")
}
