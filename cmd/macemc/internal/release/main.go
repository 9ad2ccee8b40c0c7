// Command release maintains the modules of this repository, which share one version that each requires of the others.
//
//	release tidy          make go.mod and go.sum of all modules tidy
//	release set VERSION   let all modules require that version of each other, as before it is tagged
//	release check         install the program as users do, from a module proxy made of this checkout
//
// docs/releasing.md describes when each is needed. Downloads come from the module cache first.
package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "release:", err)
		os.Exit(1)
	}
}

func run(args []string) error {
	root, err := checkout()
	if err != nil {
		return err
	}
	c, err := load(root)
	if err != nil {
		return err
	}
	switch {
	case len(args) == 1 && args[0] == "tidy":
		return c.tidy()
	case len(args) == 2 && args[0] == "set":
		return c.set(args[1])
	case len(args) == 1 && args[0] == "check":
		version, err := c.install()
		if err == nil {
			fmt.Print(version)
		}
		return err
	}
	return fmt.Errorf("say tidy, check, or set VERSION")
}

// checkout returns the folder of the workspace.
func checkout() (string, error) {
	out, err := exec.Command("go", "env", "GOWORK").Output()
	file := strings.TrimSpace(string(out))
	if err != nil || filepath.Base(file) != "go.work" {
		return "", fmt.Errorf("this works only in a checkout with a file go.work: %q, %v", file, err)
	}
	return filepath.Dir(file), nil
}
