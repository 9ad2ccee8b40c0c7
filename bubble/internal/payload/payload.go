// Package payload describes the data of connections in known protocols, for people who read runs.
package payload

import "strconv"

// decoders describe data, in the order in which they are tried. They return false for data in which their protocol is not
// certain. A decoder sees the data of one message, without its connection or port.
var decoders = [...]func(data string) (text string, ok bool){
	decodeHTTP,
	decodeRESP,
	decodeJSON,
}

// longest is the length of the longest text of a decoder that Decode returns.
const longest = 120

// Decode returns the text of the first decoder that recognizes data, unless it is long.
func Decode(data string) (text string, ok bool) {
	for _, decode := range decoders {
		if text, ok = decode(data); ok {
			if len(text) > longest {
				break
			}
			return text, true
		}
	}
	return "", false
}

// Shown is the number of bytes that Quote shows.
const Shown = 24

// Quote returns the first bytes of data in quotes.
func Quote(data string) string {
	if len(data) <= Shown {
		return strconv.Quote(data)
	}
	return strconv.Quote(data[:Shown]) + ".."
}
