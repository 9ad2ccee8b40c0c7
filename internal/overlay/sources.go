package overlay

import (
	"embed"
	"fmt"
	"io/fs"
	"path"
	"regexp"
	"strconv"
	"strings"

	"github.com/macemc/macemc/internal/predict"
	"github.com/macemc/macemc/internal/testsched"
)

// sources holds the files that are added to packages of a distribution. The go command ignores their folder, because its name begins with
// an underscore.
//
//go:embed _source
var sources embed.FS

// Import paths in the distribution of package testsched, of the package below it, and of package predict. Go vet enters the folders of
// packages, so these are folders that the distribution has, without Go files.
const (
	testschedPath = "testing/internal"
	programPath   = "internal/types"
	predictPath   = "internal/syscall"
	testrunPath   = "internal/runtime"
)

// Files of packages testsched and predict that also are package testrun, which the runtime imports. They import nothing.
const switchFile, recordFile = "switch.go", "record.go"

// exchangeFile declares what packages runtime and testing exchange. Both contain it.
const exchangeFile = "runtime/zz_macemc_tests_exchange.go"

// drawFile is the file of package os for random numbers. The packages of drawing contain it, too.
const drawFile = "os/zz_macemc_common_draw.go"

// drawing lists folders with the names of their packages.
var drawing = [][2]string{{"hash/maphash", "maphash"}, {"math/rand", "rand"}, {"math/rand/v2", "rand"}, {"net", "net"}}

// packageClause is the package clause of a file.
var packageClause = regexp.MustCompile(`(?m)^package \w+$`)

func inPackage(name, text string) string {
	return packageClause.ReplaceAllString(text, "package "+name)
}

// inDistribution replaces import paths of this module by those in the distribution.
var inDistribution = strings.NewReplacer(
	strconv.Quote("github.com/macemc/macemc/internal/testsched/program"), strconv.Quote(programPath),
	strconv.Quote("github.com/macemc/macemc/internal/predict"), "predict "+strconv.Quote(predictPath))

// added returns the texts of the files that are added to a distribution, keyed by their path below src. _source/tests/runtime/points.go
// becomes runtime/zz_macemc_tests_points.go.
func added() (map[string]string, error) {
	files := map[string]string{}
	err := eachFile(sources, func(name, text string) error {
		group, file, _ := strings.Cut(strings.TrimPrefix(name, "_source/"), "/")
		dir, base := path.Split(file)
		if dir == "" || path.Ext(base) != ".go" {
			return fmt.Errorf("%s is not in the folder of a package, or is not a .go file", name)
		}
		name = dir + "zz_macemc_" + group + "_" + base
		switch name {
		case exchangeFile:
			files["testing/"+path.Base(name)] = inPackage("testing", text)
		case drawFile:
			for _, pkg := range drawing {
				files[pkg[0]+"/"+path.Base(name)] = inPackage(pkg[1], text)
			}
		}
		files[name] = text
		return nil
	})
	if err != nil {
		return nil, err
	}
	addLinks(files)
	err = eachFile(testsched.Source, func(name, text string) error {
		if name == switchFile {
			files[path.Join(testrunPath, name)] = inPackage("testrun", text)
		}
		to := testschedPath
		if path.Dir(name) != "." {
			to = programPath
		}
		files[path.Join(to, path.Base(name))] = inDistribution.Replace(text)
		return nil
	})
	if err != nil {
		return nil, err
	}
	return files, eachFile(predict.Source, func(name, text string) error {
		if name == recordFile {
			files[path.Join(testrunPath, name)] = inPackage("testrun", text)
		}
		files[path.Join(predictPath, name)] = text
		return nil
	})
}

// eachFile calls do for the files of a file system, in the order of their names.
func eachFile(fsys embed.FS, do func(name, text string) error) error {
	return fs.WalkDir(fsys, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := fsys.ReadFile(name)
		if err != nil {
			return err
		}
		return do(name, string(text))
	})
}
