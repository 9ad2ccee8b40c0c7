package words

import "testing"

func TestNumber(t *testing.T) {
	for n, want := range map[int]string{
		0: "0", 999: "999", 1000: "1,000", 123456: "123,456", 1234567: "1,234,567", -1: "-1", -999: "-999", -1000: "-1,000", -123456: "-123,456",
	} {
		if got := Number(n); got != want {
			t.Errorf("%d: %s, want %s", n, got, want)
		}
	}
	for n, want := range map[int]string{0: "0 steps", 1: "1 step", 2000: "2,000 steps"} {
		if got := Plural(n, "step"); got != want {
			t.Errorf("%d: %s, want %s", n, got, want)
		}
	}
}
