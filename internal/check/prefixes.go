package check

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/macemc/macemc/internal/outfile"
	"github.com/macemc/macemc/internal/replay"
)

// SavePrefixes makes runs without faults, each ending in a live state, and writes n of their paths into the folder
// dir, which it creates if needed. It returns the names of the files, from which searches can start. It writes fewer
// if ctx is done, or if a walk does not reach a live state.
func SavePrefixes(ctx context.Context, o Options, dir string, n int) ([]string, error) {
	sys, err := o.System()
	if err != nil {
		return nil, err
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, err
	}
	paths, failed := o.Search.MakePrefixes(ctx, n)
	if ctx.Err() != nil && errors.Is(failed, ctx.Err()) {
		failed = nil // paths made until then are kept
	}
	h := o.header()
	h.Seed, h.Note = cmp.Or(o.Search.Seed, 1), "a prefix: ends in a live state"
	var names []string
	for _, path := range paths {
		f, err := replay.WriteFile(&sys, h, path)
		if err != nil {
			return names, err
		}
		text, err := content(f)
		if err != nil {
			return names, err
		}
		name, err := writeNew(dir, "prefix", ".path", text)
		if err != nil {
			return names, err
		}
		names = append(names, name)
	}
	return names, failed
}

// writeNew writes a file under the first unused number.
func writeNew(dir, stem, ext string, text []byte) (string, error) {
	for n := 1; ; n++ {
		name := filepath.Join(dir, fmt.Sprintf("%s-%d%s", stem, n, ext))
		if err := outfile.Create(name, text); !errors.Is(err, fs.ErrExist) {
			return name, err
		}
	}
}
