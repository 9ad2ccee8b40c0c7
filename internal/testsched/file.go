package testsched

// ReadFile reads a schedule from a file. It returns nil if the file does not hold a schedule.
func ReadFile(file string) *Stored {
	s, _ := Load(file)
	return s
}
