// Default clients and servers of a node, which share no connections with those of others.

package http

import _ "unsafe"

func macemcInNode() bool
func macemcTracePlace()

//go:linkname macemcValue net.macemcValue
func macemcValue(key string) *any

// macemcTransport returns the calling node's copy of DefaultTransport, because nodes do not share connections.
func macemcTransport(t *Transport) *Transport {
	if d, ok := DefaultTransport.(*Transport); !ok || t != d {
		return t
	}
	v := macemcValue("net/http.DefaultTransport")
	if *v == nil {
		*v = t.Clone()
	}
	return (*v).(*Transport)
}

// macemcMux returns the DefaultServeMux of the calling node. It lacks handlers that packages registered during their initialization.
func macemcMux() *ServeMux {
	v := macemcValue("net/http.DefaultServeMux")
	if *v == nil {
		*v = NewServeMux()
	}
	return (*v).(*ServeMux)
}
