package doccheck_test

import (
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// Figures in documents are those of the tables that commands write.
func TestFigures(t *testing.T) {
	read := func(page string) string {
		text, err := os.ReadFile("../../../" + page)
		if err != nil {
			t.Fatal(err)
		}
		return strings.Join(strings.Fields(string(text)), " ")
	}
	number := func(page, pattern string) float64 {
		m := regexp.MustCompile(pattern).FindStringSubmatch(read(page))
		if m == nil {
			t.Errorf("%s has no %q", page, pattern)
			return 0
		}
		x, err := strconv.ParseFloat(strings.ReplaceAll(m[1], ",", ""), 64)
		if err != nil {
			t.Error(err)
		}
		return x
	}
	first, _, _ := strings.Cut(read("evaluation/found.md"), "## Causes")
	bugs := float64(len(regexp.MustCompile("\\| `Test\\w+` \\|").FindAllString(first, -1)))
	const kernels, performance = "evaluation/kernels.md", "evaluation/performance.md"
	rate := func(checker string) float64 {
		return number(performance, `\| 3 \| `+checker+` \| 1 \| \d+ \| 47,387,132 \| 354,909,009 \| [\d.]+ \| ([\d,]+) \|`)
	}
	for _, c := range []struct {
		page, pattern string
		want          float64
	}{
		{"README.md", `(\d+) bugs in Go libraries`, bugs},
		{"docs/test-exploration.md", `finds \[(\d+) of the leaks\]`, number(kernels, `With all copies (\d+) of 63 kernels were found`)},
		{"docs/test-exploration.md", `by schedule (\d+) at the latest`, number(kernels, `by schedule (\d+) at the latest`)},
		{performance, `visits ([\d.]+) times as many states per second as SPIN`, rate("macemc, 64-bit fingerprints") / rate("SPIN")},
		{performance, `as SPIN and ([\d.]+) times as many as rumur`, rate("macemc, 64-bit fingerprints") / rate("rumur")},
	} {
		if got := number(c.page, c.pattern); got < c.want-0.06 || got > c.want+0.06 {
			t.Errorf("%s: %q has %v, the table %.2f", c.page, c.pattern, got, c.want)
		}
	}
}
