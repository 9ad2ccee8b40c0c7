package testsched

import "os"

// ReadFile reads a schedule from a file. It returns nil if the file does not hold a schedule.
func ReadFile(file string) *Stored {
	f, err := os.Open(file)
	if err != nil {
		return nil
	}
	defer f.Close()
	s, err := Read(f)
	if err != nil {
		return nil
	}
	return s
}
