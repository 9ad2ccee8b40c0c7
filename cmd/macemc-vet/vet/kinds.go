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
	Uncalled    Kind = "uncalled"
	Suppression Kind = "suppression"
)

// KindInfo describes a kind of hazard.
type KindInfo struct {
	Kind    Kind
	Title   string
	Doc     string // the reported and the accepted code
	Instead string // the alternative, in one line
}

// Kinds describes all kinds of hazards. The caller owns the slice.
func Kinds() []KindInfo {
	return []KindInfo{
		{Clock, "wall clock",
			"Calls of time.Now, Since, Until, Sleep, After, AfterFunc, Tick, NewTimer and NewTicker, and contexts " +
				"with a deadline. Values of time.Time and time.Duration are fine.",
			"read env.Clock().Now(), compare by env.Clock().Before, wait with env.SetTimer"},
		{Random, "random numbers",
			"Functions of math/rand and math/rand/v2 that draw from the global source, crypto/rand, hash/maphash, and " +
				"generators in package variables. A generator with a fixed seed is fine if it is part of the state.",
			"draw with env.Choose, env.Rand() or env.Rand().Seeded, so that the draw is a choice"},
		{Concurrency, "concurrency",
			"go statements, channel operations, select, blocking calls of package sync, and anything else that " +
				"depends on the Go scheduler. A mutex in the node's own state never blocks and is fine.",
			"do the work in the handler; to do it later set a timer, or send a message to env.Self()"},
		{MapOrder, "order of a map",
			"Ranges over a map (or maps.Keys, maps.Values, maps.All, sync.Map.Range, reflect.Value.MapRange) whose " +
				"body has an effect through sim.Env, directly or in a called function; returns the first element found; " +
				"stores the last element seen; appends to a slice that is not sorted afterwards in the same function; or " +
				"builds text. Bodies whose result does not depend on the order are fine: counting, adding integers, " +
				"filling maps, minimum and maximum, all and any.",
			"range over slices.Sorted(maps.Keys(m))"},
		{Address, "address in text",
			"Formatting with %p, and with Sprint, %v and %d of values that print as addresses: channels, functions, " +
				"unsafe.Pointer, and pointers to anything but structs, slices, arrays and maps.",
			"give the value its own number or name, and print that"},
		{Global, "shared variable",
			"Assignments to package variables or parts of them, calls of methods that change them, and uses of " +
				"sync.Pool. In a function literal that is a handler, also assignments to variables outside the literal. " +
				"All nodes of all runs would share these variables. Reading them is fine.",
			"keep it in the service's own state; for statistics over all nodes announce events to a monitor"},
		{Outside, "input from outside",
			"Files, environment variables, processes, sockets, HTTP, DNS, databases, and properties of the machine or " +
				"the process. Writing to standard output and package log is fine.",
			"keep what must survive in env.Disk(), send by env.Send or env.Stream, and pass configuration to System.New"},
		{Unsent, "event that is never sent",
			"Rules in tables of package machine (On, OnGoto, Defer, Ignore and the like) for a type of event that no " +
				"analyzed package creates, including tests and their imports. If no analyzed package creates a " +
				"machine.System, only unexported types are checked. Other drivers of the analyzer do not check this. " +
				"Also assertions that a message is a *T in a package that sends only a T, and the reverse.",
			"send it, or leave the rule out"},
		{Uncalled, "handler that is never called",
			"Methods with the parameters of Receive, Timer or PeerError under another name, which neither the package nor " +
				"an interface uses, of a service that has no such handler, or that of sim.Nop. Messages would be dropped silently.",
			"give it the name of the handler, or call it from there"},
		{Suppression, "suppression",
			"A comment //macemc:ok without a reason.",
			"give the reason after //macemc:ok"},
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

// ownedOnly reports whether hazards of a kind are reported in the module of the handlers only.
func ownedOnly(k Kind) bool { return k == MapOrder || k == Address || k == Global }
