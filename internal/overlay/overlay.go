package overlay

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"go/scanner"
	"go/version"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/macemc/macemc/internal/child"
)

// Tag is the build tag under which package bubble uses what the overlay adds.
const Tag = "macemc_overlay"

// bubble is the import path of the package that the added functions belong to.
const bubble = "github.com/macemc/macemc/bubble"

// Build contains the arguments of the go command.
type Build struct {
	Overlay string   // value of -overlay
	Env     []string // additional environment variables
	goFlags string   // of the variable GOFLAGS
}

// Default returns the value that GOFLAGS sets for a flag, such as -tags, which a flag of the command line replaces.
func (b Build) Default(flag string) (value string) {
	words, _ := child.SplitWords(b.goFlags)
	for _, word := range words {
		if v, ok := strings.CutPrefix("-"+strings.TrimLeft(word, "-"), flag+"="); ok {
			value = v
		}
	}
	return value
}

// Flags returns flags for go build, go test and similar commands. tags are build tags in the format of -tags. An empty string means
// those of GOFLAGS.
func (b Build) Flags(tags string) []string {
	if tags = cmp.Or(tags, b.Default("-tags")); tags != "" {
		tags += ","
	}
	return []string{"-overlay=" + b.Overlay, "-tags=" + tags + Tag}
}

// Prepare returns the overlay for the Go distribution that the go command uses in a folder, and creates it if it is not cached. The go
// command rejects overlays for distributions in the module cache, so Prepare copies such a distribution into its own cache. It returns a
// [PlacesError] if the distribution lacks places to change, and another error if its version is too old.
func Prepare(ctx context.Context, dir string) (Build, error) {
	env, err := goEnv(ctx, dir)
	if err != nil {
		return Build{}, err
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		return Build{}, err
	}
	return prepare(env, filepath.Join(cache, "macemc", "overlay"))
}

// goEnvironment is the output of go env.
type goEnvironment struct{ GOVERSION, GOROOT, GOMODCACHE, GOFLAGS string }

func goEnv(ctx context.Context, dir string) (e goEnvironment, err error) {
	out, err := child.GoOutput(ctx, dir, nil, "env", "-json", "GOVERSION", "GOROOT", "GOMODCACHE", "GOFLAGS")
	if err != nil {
		return e, err
	}
	return e, json.Unmarshal([]byte(out), &e)
}

// oldest is the oldest Go version whose standard library can be changed.
const oldest = "go1.26"

func prepare(env goEnvironment, cache string) (Build, error) {
	b := Build{goFlags: env.GOFLAGS}
	if version.IsValid(env.GOVERSION) && version.Compare(env.GOVERSION, oldest) < 0 {
		return b, fmt.Errorf("%s is too old: %s or later is needed", env.GOVERSION, oldest)
	}
	root := env.GOROOT
	if rel, err := filepath.Rel(env.GOMODCACHE, root); err == nil && filepath.IsLocal(rel) {
		root = filepath.Join(cache, filepath.Base(root))
		err := create(root, func(temp string) error { return os.CopyFS(temp, os.DirFS(env.GOROOT)) })
		if err != nil {
			return b, err
		}
		b.Env = []string{"GOTOOLCHAIN=local", "GOROOT=" + root, "PATH=" + filepath.Join(root, "bin") + string(os.PathListSeparator) +
			os.Getenv("PATH")}
	}
	known := knownFile(cache, root, env.GOVERSION, program())
	if name, err := os.ReadFile(known); err == nil {
		b.Overlay = filepath.Join(cache, string(name), overlayFile)
		if _, err := os.Stat(b.Overlay); err == nil {
			return b, nil
		}
	}
	files, err := Files(root)
	if list, ok := errors.AsType[scanner.ErrorList](err); ok {
		return b, fmt.Errorf("this program was built by %s, which cannot parse the standard library of %s (%v): rebuild it with %[2]s",
			runtime.Version(), env.GOVERSION, list)
	}
	if err != nil {
		return b, fmt.Errorf("the standard library of %s cannot be changed: %w", env.GOVERSION, err)
	}
	name := env.GOVERSION + "-" + fingerprint(root, files)
	out := filepath.Join(cache, name)
	b.Overlay = filepath.Join(out, overlayFile)
	if err := create(out, func(temp string) error { return write(temp, out, root, files) }); err != nil {
		return b, err
	}
	remember(known, name)
	return b, nil
}

// present returns the first of the files, separated by blanks, that a distribution has, or the first one.
func present(root, files string) string {
	names := strings.Fields(files)
	for _, name := range names {
		if _, err := os.Stat(filepath.Join(root, "src", filepath.FromSlash(name))); err == nil {
			return name
		}
	}
	return names[0]
}

// changesByFile returns the changes of each file of a distribution that is changed or rewritten, by its path below src.
func changesByFile(root string) map[string][]change {
	byFile := map[string][]change{}
	for _, c := range slices.Concat(changes, testChanges, nodeChanges) {
		name := present(root, c.file)
		byFile[name] = append(byFile[name], c)
	}
	for _, r := range rewrites {
		byFile[r.file] = slices.Clip(byFile[r.file])
	}
	return byFile
}

// Files returns the changed and added files of a distribution, keyed by their path below src.
func Files(root string) (map[string][]byte, error) {
	byFile := changesByFile(root)
	more, err := added()
	if err != nil {
		return nil, err
	}
	files := map[string][]byte{}
	var missing []string
	for _, name := range slices.Sorted(maps.Keys(byFile)) {
		src, err := os.ReadFile(filepath.Join(root, "src", filepath.FromSlash(name)))
		if err != nil {
			missing = append(missing, err.Error())
			continue
		}
		text := src
		if list := byFile[name]; len(list) > 0 {
			text, err = apply(name, src, list)
		}
		if places, ok := errors.AsType[*PlacesError](err); ok {
			missing = append(missing, places.Places...)
			continue
		}
		if err != nil {
			return nil, err
		}
		for _, r := range rewrites {
			if r.file != name {
				continue
			}
			changed, err := r.edit(string(text), more)
			if err != nil {
				missing = append(missing, fmt.Sprintf("%s: %v (needed for: %s)", name, err, r.why))
				continue
			}
			text = []byte(changed)
		}
		if string(text) != string(src) {
			files[name] = text
		}
	}
	if len(missing) > 0 {
		return nil, &PlacesError{missing}
	}
	paths, err := packageFiles(root, more)
	if err != nil {
		return nil, err
	}
	maps.Copy(more, paths)
	for name, text := range more {
		files[name] = []byte(text)
	}
	return files, nil
}

func fingerprint(root string, files map[string][]byte) string {
	h := sha256.New()
	fmt.Fprintln(h, root)
	for _, name := range slices.Sorted(maps.Keys(files)) {
		fmt.Fprintf(h, "%s %d\n%s", name, len(files[name]), files[name])
	}
	return fmt.Sprintf("%x", h.Sum(nil)[:8])
}

// write writes the files of an overlay to a folder that will have the name out.
func write(temp, out, root string, files map[string][]byte) error {
	replace := map[string]string{}
	for name, text := range files {
		file := strings.ReplaceAll(name, "/", "_")
		if err := os.WriteFile(filepath.Join(temp, file), text, 0o644); err != nil {
			return err
		}
		replace[filepath.Join(root, "src", filepath.FromSlash(name))] = filepath.Join(out, file)
	}
	text, err := json.MarshalIndent(map[string]any{"Replace": replace}, "", "\t")
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(temp, overlayFile), text, 0o644)
}
