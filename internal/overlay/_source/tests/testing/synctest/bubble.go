// The bubble of a run takes the place of bubbles of this package.

package synctest

import (
	"testing"
	_ "unsafe"
)

func macemcTested() bool
func macemcTest(t *testing.T, f func(*testing.T))

//go:linkname macemcWait testing.macemcWait
func macemcWait()
