// The initialization of packages, in which random numbers and the clock are the same in every process.

package runtime

import (
	"internal/goarch"
	"internal/stringslite"
	"unsafe"
)

// macemcInit is the state of package initialization: 0 before the environment is known, 1 while the packages of an explored test are
// initialized, 2 afterwards.
var macemcInit struct {
	state    uint32
	on       bool   // packages are being initialized
	over     bool   // the packages of the program are initialized
	alone    bool   // the process executes one schedule
	explored bool   // the process explores tests
	begins   bool   // its runs initialize the packages of modules
	seed     uint64 // hash of the path of the package that is being initialized
	reads    uint64 // of the clock, by this package
	draws    uint64 // of random numbers, by this package
}

// macemcSynctestTime is the first clock reading of bubbles, in nanoseconds since 1970: that of testing/synctest.
const macemcSynctestTime = 946684800e9

// macemcInitNanos is the time from the initialization of packages to the beginning of a run.
const macemcInitNanos = 10_000_000

// macemcInstants are instants of the command, in nanoseconds since 1970. Each of its processes has the same.
var macemcInstants struct {
	clock int64 // first clock reading of a run, and of nodes
	real  int64 // that the command has read when it began
	ahead int64 // from the start of the process to clock
}

// macemcFraction is the part of a second that an instant of a process ends with. It is not round, and the second does not end while the
// process starts, so that other processes of the command, which start later, read the same second.
const macemcFraction = 123_456_789

// macemcReadInstants reads macemcInstants from the environment: two numbers with a comma between them. Without them, the process begins the
// command.
func macemcReadInstants() {
	var values [2]int64
	n := 0
	for _, c := range []byte(gogetenv("MACEMC_TEST_INSTANT")) {
		if c == ',' && n == 0 {
			n = 1
		} else if c >= '0' && c <= '9' && values[n] < 900e15 {
			values[n] = values[n]*10 + int64(c-'0')
		}
	}
	sec, nsec, _ := time_now()
	now, it := sec*1e9+int64(nsec), &macemcInstants
	if it.clock, it.real = values[0], values[n]; it.clock <= 0 {
		it.clock, it.real = sec*1e9+macemcFraction, now
	}
	it.ahead = it.clock - now
}

func macemcIniting() bool {
	if macemcInit.state == 0 {
		macemcInit.state = 2
		macemcReadInstants()
		if gogetenv("MACEMC_TEST") != "" {
			macemcInit.state, macemcInit.explored, macemcInit.begins = 1, true, gogetenv("MACEMC_TEST_STAGE") == "begin"
		}
	}
	return macemcInit.state == 1
}

// macemcAlone is called when the process starts, and reports whether it executes one schedule. Such a process has one P, whose objects have
// the same addresses each time.
func macemcAlone() bool {
	macemcInit.alone = gogetenv("MACEMC_TEST_ALONE") != ""
	return macemcInit.alone
}

// macemcUncollected reports whether no garbage is collected because the process executes one schedule. Collections run beside the program,
// so that the addresses of later objects, which a program may use, would differ between processes.
func macemcUncollected(kind gcTriggerKind) bool {
	return macemcInit.alone && kind != gcTriggerCycle && gcController.heapLive.Load() < macemcUncollectedMax
}

// macemcUncollectedMax is the size of the heap in bytes from which on garbage is collected.
const macemcUncollectedMax = 256 << 20

// macemcInits reports whether packages are being initialized. Random numbers and the clock are then the same in every process, because
// findings are executed again in processes that explore no tests.
func macemcInits() bool { return macemcInit.on || macemcIniting() }

// macemcInitially reports whether the caller initializes a package. The keys of its maps, and so their order, are the same in every
// process.
//
//go:nosplit
func macemcInitially() bool { return macemcInit.on && getg().goid == 1 }

// macemcInitialize is called before a package is initialized. What a package draws and reads does not depend on the other packages of the
// program, so that paths replay after other packages have changed.
func macemcInitialize(t *initTask) {
	macemcAlone() // it is not called before if the environment has GOMAXPROCS
	macemcIniting()
	macemcInit.on = !macemcInit.over
	macemcInit.seed, macemcInit.reads, macemcInit.draws = 0, 0, 0
	if t.nfns > 0 {
		for _, c := range []byte(funcpkgpath(findfunc(*(*uintptr)(add(unsafe.Pointer(t), 8))))) {
			macemcInit.seed = macemcMix(macemcInit.seed ^ uint64(c))
		}
	}
}

// macemcInitNow returns the time during package initialization: macemcInitNanos before the tests, plus a microsecond per call.
func macemcInitNow() (sec int64, nsec int32, mono int64) {
	macemcInit.reads++
	now := macemcInstants.clock - macemcInitNanos + int64(min(macemcInit.reads, 9999))*1000
	return now / 1e9, int32(now % 1e9), 0
}

//go:nosplit
func macemcInitDraw() uint64 {
	macemcInit.draws++
	return macemcMix(macemcInit.seed ^ macemcMix(macemcInit.draws))
}

func macemc_testInitialized() { macemcInit.state = 2 }

// macemcDeferred are the packages that each run initializes, in this order.
var macemcDeferred []*initTask

// macemcDefers reports whether runs initialize a package: those of modules. The distribution does not depend on them.
func macemcDefers(t *initTask) bool {
	if !macemcInit.begins || macemcInit.over || t.nfns == 0 {
		return false
	}
	pkg := funcpkgpath(findfunc(*(*uintptr)(add(unsafe.Pointer(t), 8))))
	for i := stringslite.Index(pkg, "%2e"); i >= 0; i = stringslite.Index(pkg, "%2e") {
		pkg = pkg[:i] + "." + pkg[i+3:]
	}
	if stringslite.HasPrefix(pkg, "github.com/macemc/macemc/") || macemcDistribution(pkg) {
		return false
	}
	for m, rest := "", gogetenv("MACEMC_TEST_MODULES"); rest != ""; {
		m, rest, _ = stringslite.Cut(rest, ",")
		if after, in := stringslite.CutPrefix(pkg, m); in && m != "" && (after == "" || after == "_test" || after[0] == '/') {
			macemcDeferred = append(macemcDeferred, t)
			return true
		}
	}
	return false
}

// macemc_testMain executes a test program from its beginning, without the packages that are initialized already.
func macemc_testMain() {
	for _, t := range macemcDeferred {
		for i := range uintptr(t.nfns) {
			p := add(unsafe.Pointer(t), 8+i*goarch.PtrSize)
			(*(*func())(unsafe.Pointer(&p)))()
		}
	}
	main := main_main
	main()
}
