package rule

// Contained calls f on a goroutine of its own, as f may end that, and says what it did if it did not return; "": it returned.
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
