// The order of maps affects a test.

package maps

func macemcUnordered()
