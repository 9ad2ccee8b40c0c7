package rule

// Contained calls f on its own goroutine, because f may end that. It returns how f failed; an empty string means that
// f returned.
func Contained(f func()) (failed string) {
	done := make(chan struct{})
	failed = "ended its goroutine"
	go func() {
		defer close(done)
		defer func() {
			if recover() != nil {
				failed = "panicked"
			}
		}()
		f()
		failed = ""
	}()
	<-done
	return failed
}
