package cli

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// randomness draws from each source of randomness of the standard library and the runtime, and writes what it draws to a file.
const randomness = `package x

import (
	"bytes"
	"crypto/ed25519"
	crypto "crypto/rand"
	"fmt"
	"hash/maphash"
	"math/big"
	"math/rand"
	random "math/rand/v2"
	"mime/multipart"
	"os"
	"reflect"
	"sync"
	"testing"
	_ "unsafe"
)

func drew(t *testing.T, values ...any) {
	f, err := os.OpenFile("draws", os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	fmt.Fprintln(f, t.Name(), values)
}

func TestHash(t *testing.T) { drew(t, maphash.String(maphash.MakeSeed(), "x")) }

func TestHashComparable(t *testing.T) { drew(t, maphash.Comparable(maphash.MakeSeed(), 1)) }

func TestHashZero(t *testing.T) {
	var h maphash.Hash
	h.WriteString("x")
	drew(t, h.Sum64())
}

var numbers = map[int]int{1: 1, 2: 2, 3: 3}

func TestMap(t *testing.T) {
	for k := range numbers {
		drew(t, k)
	}
}

func TestMapReflect(t *testing.T) { drew(t, reflect.ValueOf(numbers).MapKeys()[0].Int()) }

func TestSyncMap(t *testing.T) {
	var m sync.Map
	m.Store(1, 1)
	m.Store(2, 2)
	m.Range(func(k, _ any) bool { drew(t, k); return true })
}

func TestRand(t *testing.T)   { drew(t, rand.Int(), rand.Perm(9)) }
func TestRandV2(t *testing.T) { drew(t, random.IntN(1e9), random.Uint64()) }

func TestCrypto(t *testing.T) {
	b := make([]byte, 8)
	crypto.Read(b)
	n, err := crypto.Int(crypto.Reader, big.NewInt(1e9))
	drew(t, b, n, err, crypto.Text())
}

func TestKey(t *testing.T) {
	key, _, err := ed25519.GenerateKey(nil)
	drew(t, key, err)
}

func TestTempDir(t *testing.T) { t.TempDir(); drew(t) }

func TestTempFile(t *testing.T) {
	f, err := os.CreateTemp(".", "x-")
	if err != nil {
		t.Fatal(err)
	}
	f.Close()
	os.Remove(f.Name())
	drew(t, f.Name())
}

func TestBoundary(t *testing.T) { drew(t, multipart.NewWriter(new(bytes.Buffer)).Boundary()) }

func TestPool(t *testing.T) {
	var p sync.Pool
	p.Put(1)
	p.Put(2)
	drew(t, p.Get())
}

func TestCase(t *testing.T) {
	c := make(chan int, 1)
	select {
	case c <- 1:
		drew(t, 1)
	case c <- 2:
		drew(t, 2)
	}
}

//go:linkname fastrandn runtime.fastrandn
func fastrandn(n uint32) uint32

//go:linkname cheaprand runtime.cheaprand
func cheaprand() uint32

//go:linkname cheaprand64 runtime.cheaprand64
func cheaprand64() int64

//go:linkname cheaprandn runtime.cheaprandn
func cheaprandn(n uint32) uint32

func TestRuntime(t *testing.T) {
	n := map[uint32]bool{}
	for range 100 {
		n[fastrandn(1e9)] = true
	}
	if len(n) < 90 {
		t.Error("few values:", len(n))
	}
	drew(t, cheaprand(), cheaprand64(), cheaprandn(1e9))
}
`

// What a test draws is the same in each process with one seed, and differs between schedules. No exploration is complete without mentioning
// it.
func TestTest_Randomness(t *testing.T) {
	testFile(t, randomness)
	if err := os.WriteFile("x.s", nil, 0o600); err != nil { // functions may have no body
		t.Fatal(err)
	}
	if err := os.WriteFile("x.go", []byte("package x\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	drawn := func() []string {
		testReports(t, []string{"ok "}, 0, "-count=1", "-schedules=20", ".")
		text, err := os.ReadFile("draws")
		if err != nil {
			t.Fatal(err)
		}
		os.Remove("draws")
		return strings.Split(strings.TrimSpace(string(text)), "\n")
	}
	first, second := drawn(), drawn()
	if !slices.Equal(first, second) {
		t.Errorf("two processes drew\n%s\n%s", strings.Join(first, "\n"), strings.Join(second, "\n"))
	}
	values := map[string]map[string]bool{}
	for _, line := range first {
		name, value, _ := strings.Cut(line, " ")
		if values[name] == nil {
			values[name] = map[string]bool{}
		}
		values[name][value] = true
	}
	for name, list := range values {
		if len(list) < 2 && name != "TestTempDir" {
			t.Errorf("%s drew the same in all schedules: %v", name, list)
		}
	}
	out, status := testCommand(t.Context(), "-count=1", "-v", "-exhaustive", ".")
	complete := regexp.MustCompile(`=== RUN   (Test\w+)\n +macemc: complete(?: for the drawn |: all 3 schedules)`).FindAllString(out, -1)
	if want := strings.Count(randomness, "\nfunc Test"); status != 0 || len(complete) != want || len(values) != want {
		t.Errorf("status %d, %d of %d tests are complete:\n%s", status, len(complete), want, out)
	}
}
