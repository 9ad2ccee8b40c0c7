// Package none has no handlers.
package none

import "time"

var Start = time.Now()
