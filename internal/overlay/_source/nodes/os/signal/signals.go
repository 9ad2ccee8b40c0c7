// Signals that a node waits for.

package signal

import (
	"os"
	_ "unsafe"
)

func macemcInNode() bool

//go:linkname macemcNotify os.macemcNotify
func macemcNotify(c chan<- os.Signal, signals []os.Signal)

//go:linkname macemcStop os.macemcStop
func macemcStop(c chan<- os.Signal)

//go:linkname macemcReset os.macemcReset
func macemcReset(signals []os.Signal, ignore bool)

//go:linkname macemcIgnored os.macemcIgnored
func macemcIgnored(sig os.Signal) bool
