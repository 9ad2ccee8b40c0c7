// Functions that clear the traces of earlier test runs in package variables.

package synctest

var macemcResets []func()

func OnMacemcReset(f func()) { macemcResets = append(macemcResets, f) }

func MacemcReset() {
	for _, f := range macemcResets {
		f()
	}
}
