package vet

// Kind is a kind of hazard.
type Kind string

const (
	Clock       Kind = "clock"
	Random      Kind = "random"
	Concurrency Kind = "concurrency"
	MapOrder    Kind = "maporder"
	Address     Kind = "address"
	Global      Kind = "global"
	Outside     Kind = "outside"
	Unsent      Kind = "unsent"
	Suppression Kind = "suppression"
)

// KindInfo describes a kind of hazard.
type KindInfo struct {
	Kind    Kind
	Title   string
	Doc     string // what is reported, and what is not
	Instead string // what to do, in a line
}

// Kinds describes all kinds of hazards. The slice is the caller's.
func Kinds() []KindInfo {
	return []KindInfo{
		{Clock, "wall clock",
			"Uses of time.Now, Since, Until, Sleep, After, AfterFunc, Tick, NewTimer and NewTicker, and contexts with " +
				"a time limit. Values of time.Time and time.Duration, and what is computed from them, are fine.",
			"read env.Clock().Now(), compare by env.Clock().Before, wait with env.SetTimer"},
		{Random, "random numbers",
			"The functions of math/rand and math/rand/v2 that draw from the global source, crypto/rand, hash/maphash, " +
				"and generators in package variables. Generators made from a fixed seed are fine when they are part of " +
				"the state; sim.Rand.Seeded is better.",
			"draw with env.Choose, env.Rand() or env.Rand().Seeded, so that the draw is a choice"},
		{Concurrency, "concurrency",
			"go statements, sends to and receives from channels, select, ranges over channels, waits of package sync, " +
				"and what depends on the Go scheduler. A mutex in the node's own state waits for nobody and is fine.",
			"do the work in the handler; to do it later set a timer, or send a message to env.Self()"},
		{MapOrder, "order of a map",
			"Ranges over a map (or maps.Keys, maps.Values, maps.All, sync.Map.Range, reflect.Value.MapRange) whose body " +
				"sends, sets timers, draws, announces, writes to the disk or does anything else through sim.Env, itself " +
				"or in what it calls; returns what it found first; keeps the last element seen; appends to a slice that " +
				"is not sorted afterwards in the same function; or builds text. Fine are bodies whose result does not depend on the " +
				"order: counting, adding up integers, filling maps, minimum and maximum, all and any; and " +
				"slices.Sorted(maps.Keys(m)).",
			"range over slices.Sorted(maps.Keys(m))"},
		{Address, "address in text",
			"Formats with %p, and Sprint, %v and %d of values that show as addresses: channels, functions, unsafe.Pointer, " +
				"and pointers to anything but structs, slices, arrays and maps.",
			"give the thing a number or name of its own, and print that"},
		{Global, "shared variable",
			"Assignments to package variables, in whole or in part, and calls of methods that change them; and, in function " +
				"literals that are handlers themselves, assignments to variables from outside the literal. All nodes of all runs would share them, " +
				"and no run starts from the same value. sync.Pool likewise. Reading is fine.",
			"keep it in the service's own state; for statistics over all nodes announce events to a monitor"},
		{Outside, "input from outside",
			"Files, environment variables, processes, sockets, HTTP, DNS, databases, and properties of the machine or the " +
				"process. Writing to standard output and package log is fine.",
			"keep what must survive in env.Disk(), send by env.Send or env.Stream, and hand configuration to System.New"},
		{Unsent, "event that is never sent",
			"Rules of tables of package machine for events (On, OnGoto, Defer, Ignore and their like) of a type of which no package that was " +
				"read, tests and what they import included, makes a value: they cannot be used. Where no package that was read makes a machine.System " +
				"only events are looked at that other packages cannot name. It is looked for when all is read, by macemc vet only.",
			"send it, or leave the rule out"},
		{Suppression, "suppression",
			"A comment //macemc:ok that gives no reason.",
			"say after //macemc:ok why the hazard is none"},
	}
}

func infoOf(k Kind) KindInfo {
	for _, info := range Kinds() {
		if info.Kind == k {
			return info
		}
	}
	return KindInfo{Kind: k}
}

// ownedOnly reports whether hazards of a kind are looked for in the module of the handlers only.
func ownedOnly(k Kind) bool { return k == MapOrder || k == Address || k == Global }
