package program

import (
	"debug/elf"
	"runtime/debug"
	"slices"
	"strings"
)

// VariableKind determines the treatment of a package variable between two runs, with the runtime's numbers.
type VariableKind uintptr

const (
	LeaveVariable   VariableKind = iota
	RestoreVariable              // restored before each run, with everything reachable from it
	WatchVariable                // a report may name it
	TypesVariable                // refers to type records, which are not restored
)

// PackageVariable is a package variable of this program.
type PackageVariable struct {
	From, To uintptr
	Kind     VariableKind
	Name     string
}

// registries are packages of the standard library in which programs register things.
var registries = []string{"database/sql", "expvar", "flag", "html/template", "image", "log", "log/slog", "math/rand",
	"math/rand/v2", "net/http", "text/template"}

// registers are variables of other packages in which programs register things.
var registers = []string{"os/signal.handlers", "syscall.mapper"}

// Variables returns the package variables by address. data is their start address in memory. The list is empty if the program has no symbol
// table in ELF format.
func Variables(data uintptr) (list []PackageVariable) {
	f, err := elf.Open("/proc/self/exe")
	if err != nil {
		return nil
	}
	defer f.Close()
	symbols, err := f.Symbols()
	if err != nil {
		return nil
	}
	info, _ := debug.ReadBuildInfo()
	kinds := map[string]VariableKind{}
	moved := uintptr(0) // offset between load address and link address
	for _, s := range symbols {
		if s.Name == "runtime.data" {
			moved = data - uintptr(s.Value)
		}
		if elf.ST_TYPE(s.Info) != elf.STT_OBJECT || s.Size == 0 || int(s.Section) >= len(f.Sections) {
			continue
		}
		if section := f.Sections[s.Section]; section.Flags&elf.SHF_WRITE == 0 || section.Flags&elf.SHF_TLS != 0 {
			continue
		}
		// Variables are left alone that the compiler has generated, or that belong to the race detector or to the network or pools of a run.
		if strings.Contains(s.Name, "..") || ofC(s.Name) ||
			slices.Contains([]string{"net.sockets", "net.fakePorts", "sync.macemcPools"}, s.Name) {
			list = append(list, PackageVariable{uintptr(s.Value), uintptr(s.Value + s.Size), LeaveVariable, s.Name})
			continue
		}
		pkg := PackageOf(s.Name)
		if pkg == "reflect" || s.Name == "runtime.reflectOffs" {
			list = append(list, PackageVariable{uintptr(s.Value), uintptr(s.Value + s.Size), TypesVariable, s.Name})
			continue
		}
		kind, ok := kinds[pkg]
		if !ok {
			kind = kindOf(pkg, info)
			kinds[pkg] = kind
		}
		if slices.Contains(registers, s.Name) {
			kind = RestoreVariable
		}
		list = append(list, PackageVariable{uintptr(s.Value), uintptr(s.Value + s.Size), kind, s.Name})
	}
	slices.SortFunc(list, func(a, b PackageVariable) int {
		switch {
		case a.From < b.From:
			return -1
		case a.From > b.From:
			return 1
		}
		return int(b.Kind) - int(a.Kind)
	})
	for i := range list {
		list[i].From += moved
		list[i].To += moved
	}
	return list
}

// ofC reports whether a symbol belongs to C or C++ code. Symbols of Go have the path of a package. Those of C may have a number, and those
// of sections the path of a package that contains an object file.
func ofC(symbol string) bool {
	last := strings.LastIndexByte(symbol, '.') + 1
	return last == 0 || last < len(symbol) && symbol[last] >= '0' && symbol[last] <= '9' || strings.Contains(symbol, "(.") ||
		strings.HasPrefix(symbol, "_Z") || strings.HasPrefix(symbol, "__")
}

// PackageOf returns the path of the package that a symbol, such as the name of a function, belongs to, as import declarations write it.
func PackageOf(symbol string) string {
	symbol, _, _ = strings.Cut(symbol, "[")
	slash := strings.LastIndexByte(symbol, '/') + 1
	last, _, _ := strings.Cut(symbol[slash:], ".")
	return strings.ReplaceAll(symbol[:slash]+last, "%2e", ".")
}

// checker is the module of the checker of systems. Its variables record, and so refer to, all others.
const checker = "github.com/macemc/macemc"

// moduleOf returns the path of a package's module, or an empty string if the package belongs to the distribution.
func moduleOf(pkg string, info *debug.BuildInfo) (path string) {
	if info == nil {
		return ""
	}
	for _, m := range append(slices.Clone(info.Deps), &info.Main) {
		in := pkg == m.Path || strings.TrimSuffix(pkg, "_test") == m.Path || strings.HasPrefix(pkg, m.Path+"/")
		if in && len(m.Path) > len(path) {
			path = m.Path
		}
	}
	return path
}

// Restores reports whether the variables of a package are restored before each run.
func Restores(pkg string) bool {
	info, _ := debug.ReadBuildInfo()
	return kindOf(pkg, info) == RestoreVariable
}

// kindOf returns the kind of a package's variables.
func kindOf(pkg string, info *debug.BuildInfo) VariableKind {
	if pkg == "command-line-arguments" || slices.Contains(registries, pkg) {
		return RestoreVariable
	}
	first, _, _ := strings.Cut(pkg, "/")
	switch module := moduleOf(pkg, info); {
	case distribution != nil && distribution(pkg): // the path of a module may be the beginning of its path
	case module == checker, strings.HasPrefix(pkg, checker+"/") && module == "": // build information lacks modules that only tests import
		return LeaveVariable
	case module != "":
		return RestoreVariable
	case strings.Contains(first, ":") || pkg == "main" || pkg == "":
		return LeaveVariable
	case !inDistribution(pkg):
		return RestoreVariable
	}
	switch first {
	case "runtime", "internal", "sync", "syscall", "testing", "os", "reflect", "unique", "vendor", "crypto":
		return LeaveVariable
	}
	return WatchVariable
}
