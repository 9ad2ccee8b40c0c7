package sim

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Limits holds the maximum number of faults of each class in a run, over the whole system: 0 to [MaxFaults]. In JSON it
// is an object with a number for each fault.
type Limits [FaultCount]int

// MaxFaults is the maximum for each of the [Limits].
const MaxFaults = 1_000_000

// Validate returns an error for the first limit that is negative or above [MaxFaults].
func (l Limits) Validate() error {
	for f := range FaultCount {
		if l[f] < 0 || l[f] > MaxFaults {
			return fmt.Errorf("the limit of %s is %d, must be 0 to %d", faults[f].limited, l[f], MaxFaults)
		}
	}
	return nil
}

// Total returns the sum of all limits.
func (l Limits) Total() int {
	n := 0
	for _, limit := range l {
		n += limit
	}
	return n
}

// Max returns the greater of l and m for each fault.
func (l Limits) Max(m Limits) Limits {
	for f := range l {
		l[f] = max(l[f], m[f])
	}
	return l
}

// String lists the limits that are not 0: "crashes=1 loss=2".
func (l Limits) String() string {
	var parts []string
	for f := range FaultCount {
		if l[f] != 0 {
			parts = append(parts, fmt.Sprintf("%v=%d", f, l[f]))
		}
	}
	return strings.Join(parts, " ")
}

// MarshalJSON writes an object with all limits, in the order of the faults.
func (l Limits) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	for f := range FaultCount {
		sep := byte(',')
		if f == 0 {
			sep = '{'
		}
		b.WriteByte(sep)
		fmt.Fprintf(&b, "%q:%d", f.key(), l[f])
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}

// UnmarshalJSON is the inverse of MarshalJSON. Missing limits become 0; an unknown name is an error.
func (l *Limits) UnmarshalJSON(text []byte) error {
	var read map[string]int
	if err := json.Unmarshal(text, &read); err != nil {
		return err
	}
	*l = Limits{}
	for _, key := range slices.Sorted(maps.Keys(read)) {
		f, err := ParseFault(strings.ReplaceAll(key, "_", "-"))
		if err != nil {
			return err
		}
		l[f] = read[key]
	}
	return nil
}
