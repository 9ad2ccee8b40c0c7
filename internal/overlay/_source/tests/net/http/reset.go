// Connections of earlier test runs are forgotten.

package http

import (
	"internal/synctest"
	"reflect"
)

func init() {
	synctest.OnMacemcReset(func() {
		if t, ok := DefaultTransport.(*Transport); ok {
			macemcForget(&t.idleConn)
			macemcForget(&t.idleConnWait)
			macemcForget(&t.idleLRU)
			macemcForget(&t.connsPerHost)
			macemcForget(&t.connsPerHostWait)
			macemcForget(&t.dialsInProgress)
		}
	})
}

func macemcForget(field any) { reflect.ValueOf(field).Elem().SetZero() }
