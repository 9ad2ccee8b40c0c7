//go:build !unix

package budget

import "time"

// ProcessTime returns 0: processor time is not known here.
func ProcessTime() time.Duration { return 0 }
