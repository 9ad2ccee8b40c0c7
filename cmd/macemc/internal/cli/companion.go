package cli

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/macemc/macemc/internal/scaffold"
)

// clusterProgram is the program that searches with the workers of a cluster.
const clusterProgram = "macemc-cluster"

// companions are commands that need large modules which few users need. Each belongs to a separate program, which also has the commands of
// this package.
var companions = []struct{ name, short, program string }{
	{"cluster", "Run and control the server of a cluster", clusterProgram},
	{"worker", "Run a worker of a cluster", clusterProgram},
	{"vet", "Find nondeterminism in the source of handlers", "macemc-vet"},
	{"mcp", "Serve tools of macemc to an assistant", "macemc-mcp"},
}

// addCompanions adds the companion commands that this program lacks. Their programs execute them.
func (a *app) addCompanions(root *cobra.Command) {
	own := root.Commands()
	for _, c := range companions {
		if slices.ContainsFunc(own, func(cmd *cobra.Command) bool { return cmd.Name() == c.name }) {
			continue
		}
		root.AddCommand(&cobra.Command{
			Use:                c.name,
			Short:              c.short,
			Long:               fmt.Sprintf("%s. See \"macemc %s --help\".", c.short, c.name),
			Annotations:        map[string]string{companion: c.program},
			DisableFlagParsing: true,
			RunE:               func(*cobra.Command, []string) error { return a.become(c.program) },
			ValidArgsFunction: func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
				if _, err := findProgram(c.program); err == nil {
					_ = a.become(c.program) // that program prints the completions
				}
				return nil, cobra.ShellCompDirectiveNoFileComp
			},
		})
	}
}

// companion annotates commands that another program executes.
const companion = "companion"

// become executes a program with the arguments of this one, and replaces this process if the operating system can do so. If the program is
// neither beside this one nor on PATH, it is compiled.
func (a *app) become(program string) error {
	file, err := companionPath(program, a.Stderr)
	if err != nil {
		return err
	}
	args := append([]string{a.Program}, a.args...)
	if err = syscall.Exec(file, args, os.Environ()); !errors.Is(err, errors.ErrUnsupported) {
		return err
	}
	cmd := exec.Command(file)
	cmd.Args, cmd.Stdin, cmd.Stdout, cmd.Stderr = args, os.Stdin, os.Stdout, os.Stderr
	err = cmd.Run()
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		return Exit(exit.ExitCode())
	}
	return err
}

// companionPath returns the path of a program that this one executes, which it compiles if it is missing.
func companionPath(program string, errs io.Writer) (file string, err error) {
	if file, err = findProgram(program); err != nil {
		if file, err = installCompanion(program, errs); err != nil {
			return "", fmt.Errorf("this command requires the program %s, which is neither beside macemc nor on PATH: %w", program, err)
		}
	}
	return file, nil
}

// installCompanion compiles a program into the folder of this one, and returns its path.
func installCompanion(program string, errs io.Writer) (string, error) {
	exe, err := os.Executable()
	if err != nil {
		return "", err
	}
	from, err := scaffold.Origin("")
	if err != nil {
		return "", fmt.Errorf("%w; install it by go install github.com/macemc/macemc/cmd/%s@latest", err, program)
	}
	folder := filepath.Dir(exe)
	fmt.Fprintf(errs, "macemc: compiling %s into %s, once\n", program, folder)
	if out, err := from.Install(program, folder).CombinedOutput(); err != nil {
		return "", fmt.Errorf("it does not compile: %w\n%s", err, bytes.TrimSpace(out))
	}
	return findProgram(program)
}

// findProgram returns the path of a program that is beside this one or on PATH.
func findProgram(name string) (string, error) {
	if runtime.GOOS == "windows" {
		name += ".exe"
	}
	if exe, err := os.Executable(); err == nil {
		file := filepath.Join(filepath.Dir(exe), name)
		if _, err := exec.LookPath(file); err == nil || !errors.Is(err, fs.ErrNotExist) {
			return file, err
		}
	}
	return exec.LookPath(name)
}
