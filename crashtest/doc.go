// Package crashtest checks that a storage library keeps what it has acknowledged when its machine crashes.
//
//	func TestStore(t *testing.T) {
//		crashtest.Check(t, crashtest.Store[*kv.DB]{
//			Open: func(dir string) (*kv.DB, error) { return kv.Open(dir) },
//			Put:  func(db *kv.DB, key, value string) error { return db.Put(key, value) },
//			Get:  func(db *kv.DB, key string) (string, bool, error) { return db.Get(key) },
//		})
//	}
//
// Run it with "macemc test ./PKG". The library is not modified. It runs on a simulated disk (see package bubble), in a process that
// crashes several times. Concurrent clients write, and the store is maintained and reopened meanwhile. Three properties hold:
//
//   - The store opens after each crash, and no operation fails or panics. Without DiskErrors, none ends the process.
//   - What was acknowledged is there: each value that Put, each record that Append has stored before it returned nil.
//   - What was not acknowledged is absent or whole.
//
// The functions of a [Store] keep no state of their own: a crash does not discard it.
//
// "macemc replay FILE --write-test X_test.go" turns a finding into a test in plain Go, which needs only the library. The test opens the
// store with the files that survived, repeats the calls since the crash one after another, and compares the content.
//
// A [Store] with Put and Get is a map, one with Append and Records a log, and one with Append and Take a queue.
package crashtest
