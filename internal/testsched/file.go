package testsched

import "os"

// ReadFile reads the schedule in a file. It returns nil if the file holds something else.
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
