package check

// LimitMemory lets tests reach a limit soon.
var LimitMemory = limitMemory

// OutOfMemory reports whether that is what the last words of a process say.
func OutOfMemory(said string) bool { return outOfMemory.MatchString(said) }
