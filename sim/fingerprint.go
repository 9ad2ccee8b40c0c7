package sim

import "github.com/macemc/macemc/internal/encoding"

// Fingerprint is a 128-bit hash of content. It does not depend on the process, on the run that led to a state, or on
// intern numbers. Component hashes are combined by addition.
type Fingerprint = encoding.Fingerprint
