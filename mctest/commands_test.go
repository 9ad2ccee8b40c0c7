package mctest

import (
	"os"
	"path/filepath"
	"testing"
)

// Commands fit the folder from which the user called the command, if that is known.
func TestFromUser(t *testing.T) {
	here, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ folder, path, pkg string }{
		{"", "testdata/x", "."}, {here, "testdata/x", "."}, {filepath.Dir(here), "mctest/testdata/x", "./mctest"},
	} {
		t.Setenv(folderVar, c.folder)
		if path, pkg := fromUser("testdata/x"); path != c.path || pkg != c.pkg {
			t.Errorf("from %q: %s and %s", c.folder, path, pkg)
		}
	}
}
