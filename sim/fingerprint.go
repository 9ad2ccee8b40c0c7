package sim

import "github.com/macemc/macemc/internal/encoding"

// Fingerprint is a 128-bit hash of content: independent of the process, the run that led to a state
// and intern numbers. Component hashes are combined by addition.
type Fingerprint = encoding.Fingerprint
