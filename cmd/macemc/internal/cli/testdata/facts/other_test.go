package facts

import (
	"bytes"
	"context"
	"crypto/aes"
	"crypto/cipher"
	"crypto/ecdh"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	crand "crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"encoding/gob"
	"encoding/hex"
	"errors"
	"expvar"
	"flag"
	"fmt"
	"hash/crc32"
	"hash/maphash"
	"io"
	"iter"
	"log"
	"log/slog"
	"maps"
	"math/big"
	"math/rand"
	randv2 "math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"sort"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"text/template"
	"time"
	"unique"
	"weak"
)

func logger(w io.Writer) *log.Logger { return log.New(w, "", 0) }

func TestLogPlace(t *testing.T) {
	var b bytes.Buffer
	log.New(&b, "p: ", log.Lshortfile).Print("text")
	has(t, b.String(), "p: other_test.go:")
}

func TestLogTime(t *testing.T) {
	var b bytes.Buffer
	log.New(&b, "", log.LstdFlags|log.LUTC).Print("text")
	at, err := time.Parse("2006/01/02 15:04:05", b.String()[:19])
	must(t, err)
	if d := time.Since(at); d < 0 || d > time.Minute {
		t.Error(at)
	}
}

func TestLogDefault(t *testing.T) {
	same(t, log.Flags(), log.LstdFlags)
	same(t, log.Prefix(), "")
	same(t, log.Writer(), io.Writer(os.Stderr))
}

func TestLogPanic(t *testing.T) {
	defer func() { same(t, recover(), "text") }()
	logger(io.Discard).Panic("text")
}

func TestSlog(t *testing.T) {
	var b bytes.Buffer
	slog.New(slog.NewTextHandler(&b, &slog.HandlerOptions{AddSource: true})).Info("text", "key", 1)
	has(t, b.String(), "other_test.go:")
	has(t, b.String(), "msg=text key=1")
}

func TestSlogJSON(t *testing.T) {
	var b bytes.Buffer
	slog.New(slog.NewJSONHandler(&b, nil)).With("a", 1).WithGroup("g").Warn("text", "b", 2)
	has(t, b.String(), `"level":"WARN","msg":"text","a":1,"g":{"b":2}`)
}

func TestSlogDefault(t *testing.T) {
	same(t, slog.Default().Enabled(context.Background(), slog.LevelInfo), true)
	same(t, slog.Default().Enabled(context.Background(), slog.LevelDebug), false)
}

func TestMutex(t *testing.T) {
	var mu sync.Mutex
	n := 0
	var wg sync.WaitGroup
	for range 10 {
		wg.Go(func() { mu.Lock(); defer mu.Unlock(); n++ })
	}
	wg.Wait()
	same(t, n, 10)
}

func TestCond(t *testing.T) {
	var mu sync.Mutex
	c, ready := sync.NewCond(&mu), false
	go func() { mu.Lock(); ready = true; mu.Unlock(); c.Broadcast() }()
	mu.Lock()
	for !ready {
		c.Wait()
	}
	mu.Unlock()
}

func TestOnceValue(t *testing.T) {
	n := 0
	f := sync.OnceValue(func() int { n++; return n })
	same(t, f()+f(), 2)
}

func TestOncePanics(t *testing.T) {
	f := sync.OnceFunc(func() { panic("wrong") })
	for range 2 {
		func() {
			defer func() { same(t, recover(), "wrong") }()
			f()
		}()
	}
}

func TestSyncMap(t *testing.T) {
	var m sync.Map
	m.Store(1, "a")
	v, loaded := m.LoadOrStore(1, "b")
	same(t, v, "a")
	same(t, loaded, true)
	m.Clear()
	_, loaded = m.Load(1)
	same(t, loaded, false)
}

func TestPool(t *testing.T) {
	p := sync.Pool{New: func() any { return 1 }}
	p.Put(2)
	if v := p.Get(); v != 1 && v != 2 {
		t.Error(v)
	}
}

func TestAtomics(t *testing.T) {
	var n atomic.Int64
	var p atomic.Pointer[int]
	var v atomic.Value
	same(t, n.Add(2), int64(2))
	same(t, n.CompareAndSwap(2, 3), true)
	same(t, p.Load() == nil, true)
	same(t, v.Load(), nil)
	v.Store("a")
	same(t, v.Swap("b"), "a")
	same(t, n.Or(4), int64(3))
}

func TestNegativeWaitGroup(t *testing.T) {
	defer func() { same(t, recover(), "sync: negative WaitGroup counter") }()
	var wg sync.WaitGroup
	wg.Done()
}

func TestSelectDefault(t *testing.T) {
	select {
	case <-make(chan int):
		t.Error("it receives")
	default:
	}
}

func TestContextValues(t *testing.T) {
	type key int
	ctx := context.WithValue(context.Background(), key(1), "a")
	child, cancel := context.WithCancel(ctx)
	same(t, child.Value(key(1)), "a")
	cancel()
	same(t, child.Err(), context.Canceled)
	must(t, context.WithoutCancel(child).Err())
	has(t, child, "context.Background.WithValue")
}

func TestRandom(t *testing.T) {
	var all []uint64
	for range 100 {
		all = append(all, rand.Uint64(), randv2.Uint64())
	}
	slices.Sort(all)
	same(t, len(slices.Compact(all)), 200)
}

func TestRandomRange(t *testing.T) {
	for range 1000 {
		if f := rand.Float64(); f < 0 || f >= 1 {
			t.Error(f)
		}
		if n := randv2.IntN(10); n < 0 || n > 9 {
			t.Error(n)
		}
	}
}

func TestRandomSource(t *testing.T) {
	same(t, rand.New(rand.NewSource(1)).Intn(1000), 81)
	same(t, randv2.New(randv2.NewPCG(1, 2)).IntN(1000), randv2.New(randv2.NewPCG(1, 2)).IntN(1000))
}

func TestCryptoRandom(t *testing.T) {
	a, b := make([]byte, 32), make([]byte, 32)
	n, err := crand.Read(a)
	must(t, err)
	same(t, n, 32)
	_, err = io.ReadFull(crand.Reader, b)
	must(t, err)
	same(t, bytes.Equal(a, b), false)
	same(t, len(crand.Text()), 26)
}

func TestMaphash(t *testing.T) {
	seed := maphash.MakeSeed()
	same(t, maphash.String(seed, "a"), maphash.String(seed, "a"))
	same(t, maphash.String(seed, "a") == maphash.String(maphash.MakeSeed(), "a"), false)
}

func TestAES(t *testing.T) {
	block, err := aes.NewCipher(make([]byte, 16))
	must(t, err)
	gcm, err := cipher.NewGCM(block)
	must(t, err)
	nonce := make([]byte, gcm.NonceSize())
	text, err := gcm.Open(nil, nonce, gcm.Seal(nil, nonce, []byte("text"), nil), nil)
	must(t, err)
	same(t, string(text), "text")
}

func TestEd25519(t *testing.T) {
	public, private, err := ed25519.GenerateKey(nil)
	must(t, err)
	same(t, ed25519.Verify(public, []byte("text"), ed25519.Sign(private, []byte("text"))), true)
}

func TestECDSA(t *testing.T) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), crand.Reader)
	must(t, err)
	hash := sha256.Sum256([]byte("text"))
	signature, err := ecdsa.SignASN1(crand.Reader, key, hash[:])
	must(t, err)
	same(t, ecdsa.VerifyASN1(&key.PublicKey, hash[:], signature), true)
}

func TestECDH(t *testing.T) {
	a, err := ecdh.X25519().GenerateKey(crand.Reader)
	must(t, err)
	b, err := ecdh.X25519().GenerateKey(crand.Reader)
	must(t, err)
	x, err := a.ECDH(b.PublicKey())
	must(t, err)
	y, err := b.ECDH(a.PublicKey())
	must(t, err)
	same(t, x, y)
}

func TestRSA(t *testing.T) {
	key, err := rsa.GenerateKey(crand.Reader, 2048)
	must(t, err)
	must(t, key.Validate())
}

func TestPrime(t *testing.T) {
	p, err := crand.Prime(crand.Reader, 64)
	must(t, err)
	same(t, p.ProbablyPrime(10), true)
	same(t, new(big.Int).Exp(big.NewInt(2), big.NewInt(10), nil).String(), "1024")
}

func TestHashes(t *testing.T) {
	same(t, hex.EncodeToString(sha256.New().Sum(nil))[:8], "e3b0c442")
	same(t, crc32.ChecksumIEEE([]byte("text")), uint32(0x3b8ba7c7))
}

func TestMapOrder(t *testing.T) {
	m := map[int]int{}
	for i := range 100 {
		m[i] = i
	}
	orders := map[string]bool{}
	for range 20 {
		orders[fmt.Sprint(slices.Collect(maps.Keys(m)))] = true
	}
	if len(orders) < 2 {
		t.Error("one order")
	}
	same(t, fmt.Sprint(map[int]int{2: 1, 1: 2}), "map[1:2 2:1]")
}

func TestSelectReady(t *testing.T) {
	a, b := make(chan int, 1), make(chan int, 1)
	a <- 1
	b <- 2
	select {
	case n := <-a:
		same(t, n, 1)
	case n := <-b:
		same(t, n, 2)
	}
	same(t, len(a)+len(b), 1)
}

func TestIterators(t *testing.T) {
	next, stop := iter.Pull(slices.Values([]int{1, 2}))
	defer stop()
	v, ok := next()
	same(t, fmt.Sprint(v, ok), "1 true")
}

func TestUnique(t *testing.T) {
	same(t, unique.Make("a") == unique.Make(strings.Clone("a")), true)
	n := new(int)
	same(t, weak.Make(n).Value() == n, true)
}

func TestExpvar(t *testing.T) {
	n := expvar.NewInt(fmt.Sprintf("facts-%d", time.Now().UnixNano()))
	n.Add(2)
	same(t, n.String(), "2")
	has(t, expvar.Get("cmdline"), "facts.test")
	lacks(t, expvar.Get("cmdline"), checker...)
	has(t, expvar.Get("memstats"), "Alloc")
}

func TestFlagSet(t *testing.T) {
	f := flag.NewFlagSet("x", flag.ContinueOnError)
	f.SetOutput(io.Discard)
	d := f.Duration("d", time.Second, "usage")
	must(t, f.Parse([]string{"-d=2s", "rest"}))
	same(t, *d, 2*time.Second)
	same(t, errors.Is(f.Parse([]string{"-h"}), flag.ErrHelp), true)
}

func TestGob(t *testing.T) {
	var b bytes.Buffer
	must(t, gob.NewEncoder(&b).Encode(map[string]time.Time{"a": time.Now()}))
	var read map[string]time.Time
	must(t, gob.NewDecoder(&b).Decode(&read))
	same(t, len(read), 1)
}

func TestTemplate(t *testing.T) {
	var b strings.Builder
	must(t, template.Must(template.New("x").Parse(`{{range .}}{{printf "%03d" .}} {{end}}`)).Execute(&b, []int{1, 2}))
	same(t, b.String(), "001 002 ")
}

func TestRegexp(t *testing.T) {
	same(t, regexp.MustCompile(`a(x*)b`).ReplaceAllString("-axxb-", "$1"), "-xx-")
}

func TestReflect(t *testing.T) {
	v := reflect.ValueOf(&struct{ N int }{1}).Elem()
	v.Field(0).SetInt(5)
	same(t, v.Field(0).Int(), int64(5))
	c := reflect.MakeChan(reflect.TypeOf(make(chan int)), 1)
	c.Send(reflect.ValueOf(3))
	i, got, ok := reflect.Select([]reflect.SelectCase{{Dir: reflect.SelectRecv, Chan: c}})
	same(t, fmt.Sprint(i, got, ok), "0 3 true")
}

func TestErrors(t *testing.T) {
	e := fmt.Errorf("a: %w", errors.Join(os.ErrClosed, io.EOF))
	same(t, errors.Is(e, io.EOF) && errors.Is(e, os.ErrClosed), true)
	_, err := strconv.Atoi("x")
	same(t, err.Error(), `strconv.Atoi: parsing "x": invalid syntax`)
}

func TestSort(t *testing.T) {
	list := sort.StringSlice{"c", "a", "b"}
	list.Sort()
	same(t, fmt.Sprint(list), "[a b c]")
}

func TestPaths(t *testing.T) {
	same(t, filepath.Join("a", "..", "b"), "b")
	ok, err := filepath.Match("*.go", "x.go")
	must(t, err)
	same(t, ok, true)
	same(t, filepath.IsLocal("../a"), false)
}
