package oracle

import "testing"

// Whatever is planted into the oracle is noticed soon.
func TestDefectsAreNoticed(t *testing.T) {
	if testing.Short() {
		t.Skip("slow")
	}
	t.Parallel()
	const most = 2000
	for _, d := range Defects() {
		t.Run(string(d), func(t *testing.T) {
			for i := range uint64(most) {
				if r := Compare(Drawn(i), Options{Defect: d, Brief: true}); r.Difference != "" {
					t.Logf("by system %d: %s", i, r.Difference)
					return
				}
			}
			t.Errorf("not noticed in %d systems", most)
		})
	}
}
