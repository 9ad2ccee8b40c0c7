package testsched

// Record returns memory for n switches that a run records. Another process can read it from the file if this one dies. An empty name
// means that there is none.
func Record(file string, n int) []Switch {
	if file != "" {
		if list := shared(file, n); list != nil {
			return list
		}
	}
	return make([]Switch, n)
}
