//go:build !unix

package budget

import "time"

// ProcessTime returns 0: processor time is unknown on this platform.
func ProcessTime() time.Duration { return 0 }
