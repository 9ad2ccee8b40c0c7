//go:build !unix

package scratch

import "os"

// canLock reports whether there are locks here.
const canLock = false

// Without locks it is unknown who uses a folder, so only its owner removes it.
func locked(*os.File) bool { return false }

func own(os.FileInfo) bool { return false }
