package check

// LimitMemory lets tests reach a limit soon.
var LimitMemory = limitMemory
