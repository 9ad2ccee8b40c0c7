package overlay

import (
	"fmt"
	"regexp"
	"strings"
)

// timerRaces makes each firing of a bubble's timers a thread of its own for the race detector. With a common one, what happens before the
// start of a timer would happen before all that later timers wake. The detector has room for few threads, so this one ends.
var timerRaces = replace("\t\tgp.racectx = 0\n",
	"\t\tgp.racectx = 0; if bubble != nil && macemcOn { racectxend(bubble.timers.raceCtx); bubble.timers.raceCtx = 0 }\n")

// raceErrors leaves the data races of runs out of the number for package testing, and of the exit status.
var raceErrors = replace("\treturn int(n)\n", "\treturn int(n) - macemcRaces\n",
	"\nfunc racefini() {\n", "\nfunc racefini() { if macemcRaces > 0 && RaceErrors() == 0 { return }\n")

// racePlaces gives accesses that the standard library reports the place of the report.
var racePlaces = replace("\nimport (\n", "\nimport ( \"internal/runtime/sys\"\n",
	"\tRaceRead(addr)\n", "\tracereadpc(addr, macemcLockCaller(sys.GetCallerPC()), sys.GetCallerPC()-1)\n",
	"\tRaceWrite(addr)\n", "\tracewritepc(addr, macemcLockCaller(sys.GetCallerPC()), sys.GetCallerPC()-1)\n")

var syncMethod = regexp.MustCompile(`(?m)^func \(\w+ \*(Mutex|RWMutex|WaitGroup|Cond|Once|Map|Pool|rlocker)\) [A-Z]\w*\([^{\n]*\{`)

// syncCalls reports the calls of methods of package sync to the race detector, whose reports lack the caller otherwise. Locks only record
// the caller for the accesses that follow, which is faster.
func syncCalls(text string, _ map[string]string) (string, error) {
	if !syncMethod.MatchString(text) {
		return "", fmt.Errorf("nothing matches %s", syncMethod)
	}
	text = strings.Replace(text, "\npackage sync\n", "\npackage sync; import \"internal/runtime/sys\"\n", 1)
	return syncMethod.ReplaceAllStringFunc(text, func(s string) string {
		switch syncMethod.FindStringSubmatch(s)[1] {
		case "Mutex", "RWMutex", "rlocker":
			return s + " if macemcRaced { macemcLockCalled(sys.GetCallerPC()) };"
		}
		return s + " if macemcRaced { macemcCallBegin(sys.GetCallerPC()); defer macemcCallEnd() };"
	}), nil
}

var memoryFuncs = []struct{ name, params, point, call string }{
	{"raceread", "addr uintptr", "macemcRead1", "racereadpc(unsafe.Pointer(addr), 0, sys.GetCallerPC()-1)"},
	{"racewrite", "addr uintptr", "macemcWrite1", "racewritepc(unsafe.Pointer(addr), 0, sys.GetCallerPC()-1)"},
	{"racereadrange", "addr, size uintptr", "macemcRead1", "racereadrangepc1(addr, size, sys.GetCallerPC()-1)"},
	{"racewriterange", "addr, size uintptr", "macemcWrite1", "racewriterangepc1(addr, size, sys.GetCallerPC()-1)"},
}

// memoryPoints gives bodies in Go to the functions that code built with -race calls before memory accesses.
func memoryPoints(text string, added map[string]string) (string, error) {
	bodies := "//go:build race\n\npackage runtime\n\nimport (\n\t\"internal/runtime/sys\"\n\t\"unsafe\"\n)\n"
	for _, f := range memoryFuncs {
		decl := "\nfunc " + f.name + "(" + f.params + ")\n"
		if strings.Count(text, decl) != 1 {
			return "", fmt.Errorf("%q is not there once", decl)
		}
		text = strings.Replace(text, decl, "\n\n", 1)
		bodies += "\n//go:nosplit\nfunc " + f.name + "(" + f.params + ") { if macemcShared(addr) { " + f.point + "(addr) }; " + f.call + " }\n"
	}
	added["runtime/zz_macemc_race.go"] = bodies
	return text, nil
}

// memoryInGo removes the same functions from the assembly.
func memoryInGo(text string, _ map[string]string) (string, error) {
	for _, f := range memoryFuncs {
		re := regexp.MustCompile(`(?s)TEXT\truntime·` + f.name + `<ABIInternal>\(SB\).*?JMP\tracecalladdr<>\(SB\)\n`)
		m := re.FindString(text)
		if m == "" {
			return "", fmt.Errorf("runtime·%s is not declared in a known form", f.name)
		}
		text = strings.Replace(text, m, strings.Repeat("\n", strings.Count(m, "\n")), 1)
	}
	return text, nil
}
