// Package properties has property tests of a map that goroutines share.
package properties

import (
	"sync"
	"testing"
	"time"

	"github.com/leanovate/gopter"
	"github.com/leanovate/gopter/gen"
	"github.com/leanovate/gopter/prop"
	"pgregory.net/rapid"
)

// tally counts words.
type tally struct {
	mu    sync.Mutex
	words map[string]int
}

func (c *tally) get(word string) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.words[word]
}

func (c *tally) set(word string, n int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.words[word] = n
}

func (c *tally) addUnsafe(word string) { c.set(word, c.get(word)+1) }

func (c *tally) add(word string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.words[word]++
}

// count counts the words of two texts at the same time, and returns their sum.
func count(add func(c *tally, word string), texts ...[]string) (sum int) {
	c := &tally{words: map[string]int{}}
	var wg sync.WaitGroup
	for i, words := range texts {
		wg.Go(func() {
			time.Sleep(time.Duration(i) * 500 * time.Microsecond)
			for _, w := range words {
				add(c, w)
			}
		})
	}
	wg.Wait()
	for _, n := range c.words {
		sum += n
	}
	return sum
}

var words = []string{"a", "b"}

func rapidCounts(t *testing.T, add func(c *tally, word string)) {
	rapid.Check(t, func(t *rapid.T) {
		texts := rapid.SliceOfN(rapid.SampledFrom(words), 1, 3)
		a, b := texts.Draw(t, "a"), texts.Draw(t, "b")
		if n := count(add, a, b); n != len(a)+len(b) {
			t.Fatalf("counted %d of %d words", n, len(a)+len(b))
		}
	})
}

func TestRapid(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c, model := &tally{words: map[string]int{}}, map[string]int{}
		t.Repeat(map[string]func(*rapid.T){
			"add": func(t *rapid.T) {
				w := rapid.SampledFrom(words).Draw(t, "word")
				c.add(w)
				model[w]++
			},
			"": func(t *rapid.T) {
				for w, n := range model {
					if c.get(w) != n {
						t.Fatalf("%s: %d, want %d", w, c.get(w), n)
					}
				}
			},
		})
	})
}

func TestRapidDefect(t *testing.T) { rapidCounts(t, (*tally).addUnsafe) }

func TestRapidMended(t *testing.T) { rapidCounts(t, (*tally).add) }

func gopterCounts(t *testing.T, add func(c *tally, word string)) {
	parameters := gopter.DefaultTestParameters()
	parameters.MinSuccessfulTests = 20
	p := gopter.NewProperties(parameters)
	texts := gen.SliceOfN(2, gen.OneConstOf("a", "b"))
	p.Property("all words are counted", prop.ForAll(func(a, b []string) bool { return count(add, a, b) == len(a)+len(b) },
		texts, texts))
	p.TestingRun(t)
}

func TestGopter(t *testing.T) {
	p := gopter.NewProperties(nil)
	p.Property("one goroutine", prop.ForAll(func(n int) bool {
		c := &tally{words: map[string]int{}}
		for range n {
			c.add("a")
		}
		return c.get("a") == n
	}, gen.IntRange(0, 5)))
	p.TestingRun(t)
}

func TestGopterDefect(t *testing.T) { gopterCounts(t, (*tally).addUnsafe) }

func TestGopterMended(t *testing.T) { gopterCounts(t, (*tally).add) }
