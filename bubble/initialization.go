package bubble

import (
	"debug/elf"
	"fmt"
	"os"
	"slices"
	"strings"
	"unsafe"

	"github.com/macemc/macemc/internal/testsched/program"
)

// checker is the prefix of the import paths of the checker's packages.
const checker = "github.com/macemc/macemc/"

// initializes reports whether each process of the command initializes the packages of its program again, at each boot. That is necessary if
// a package has read a variable of the environment that has another value in the process, or has started a goroutine or a timer. Packages
// of the checker do not count.
func (c *command) initializes() bool {
	return slices.ContainsFunc(initially(), func(text string) bool {
		name, pkg, _ := strings.Cut(text, " ")
		if strings.HasPrefix(pkg, checker) && !strings.HasPrefix(pkg+".", c.pkg) {
			return false
		}
		value, set := os.LookupEnv(name)
		own, ok := c.lookup(name)
		return name == "*" || own != value || ok != set
	})
}

func (c *command) lookup(name string) (value string, ok bool) {
	for _, s := range c.env {
		if key, v, _ := strings.Cut(s, "="); key == name {
			return v, true
		}
	}
	return "", false
}

// registering are packages of the distribution whose initialization registers something in another one, and changes nothing else.
var registering = []string{"net/http/pprof", "net/http/httptest"}

// again reports whether a process initializes a package again: those whose variables it has for itself, and those that only register.
func (c *command) again(pkg string) bool {
	known, ok := c.packages[pkg]
	if !ok {
		path := strings.ReplaceAll(pkg, "%2e", ".")
		known = path+"." == c.pkg || slices.Contains(registering, path) || program.Restores(path)
		c.packages[pkg] = known
	}
	return known
}

// initialize initializes the packages of the program again. What fails only because it is repeated is not the fault of the program. The
// executable cannot be opened meanwhile, as if an upgrade had removed it: package protobuf hashes it, and does without.
func (c *command) initialize(h *Host) {
	h.files.hidesExecutable = true
	defer func() {
		h.files.hidesExecutable = false
		if v := recover(); v != nil {
			h.unsimulated(fmt.Sprintf("its packages read the environment when they are initialized, and panic when that is repeated (%v)", v))
		}
	}()
	initialize(c.again)
}

// freshVariables returns the package variables of a process that initializes its packages.
func (c *command) freshVariables() unsafe.Pointer {
	file := readProgram()
	return freshVariables(func(from, size uintptr) []byte {
		if v := file.variable(from); v != nil && c.again(program.PackageOf(v.Name)) {
			return file.values(from, size)
		}
		return nil
	})
}

// programFile is the file of this program.
type programFile struct {
	variables []program.PackageVariable // by address
	sections  []section                 // with values of variables
}

// section is a part of the data of a program. Variables outside of all sections begin with 0.
type section struct {
	from   uintptr
	values []byte
}

var readProgramFile *programFile

// readProgram reads the file once. The lock stepping must be held.
func readProgram() *programFile {
	if readProgramFile != nil {
		return readProgramFile
	}
	p := &programFile{variables: program.Variables(dataStart())}
	readProgramFile = p
	f, err := elf.Open("/proc/self/exe")
	if err != nil {
		return p
	}
	defer f.Close()
	moved := dataStart() - linkedStart(f)
	for _, s := range f.Sections {
		if s.Flags&elf.SHF_WRITE != 0 && s.Type == elf.SHT_PROGBITS {
			if values, err := s.Data(); err == nil {
				p.sections = append(p.sections, section{uintptr(s.Addr) + moved, values})
			}
		}
	}
	return p
}

// linkedStart returns the address at which package variables begin in the file.
func linkedStart(f *elf.File) uintptr {
	symbols, _ := f.Symbols()
	for _, s := range symbols {
		if s.Name == "runtime.data" {
			return uintptr(s.Value)
		}
	}
	return dataStart()
}

// variable returns the variable at an address; nil means that there is none.
func (p *programFile) variable(from uintptr) *program.PackageVariable {
	i, ok := slices.BinarySearchFunc(p.variables, from, func(v program.PackageVariable, at uintptr) int {
		switch {
		case v.From < at:
			return -1
		case v.From > at:
			return 1
		}
		return 0
	})
	if !ok {
		return nil
	}
	return &p.variables[i]
}

// values returns the values of memory before packages are initialized.
func (p *programFile) values(from, size uintptr) []byte {
	for _, s := range p.sections {
		if s.from <= from && from+size <= s.from+uintptr(len(s.values)) {
			return s.values[from-s.from:][:size]
		}
	}
	return make([]byte, size)
}
