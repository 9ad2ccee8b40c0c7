package facts

import (
	"context"
	"crypto/x509"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

var initialized = time.Now()

func TestPresent(t *testing.T) {
	now := time.Now()
	if now.Year() < 2024 || now.Year() > 2150 {
		t.Error(now)
	}
	if now.Nanosecond()%1_000_000 == 0 && time.Now().Nanosecond()%1_000_000 == 0 {
		t.Error("a round instant:", now)
	}
	same(t, now.Location(), time.Local)
}

func TestInitialized(t *testing.T) {
	if d := time.Since(initialized); d <= 0 || d > time.Hour {
		t.Error(d)
	}
	if d := time.Now().Round(0).Sub(initialized.Round(0)); d < 0 || d > time.Hour {
		t.Error(d)
	}
	has(t, initialized, " m=+")
}

func TestMonotonic(t *testing.T) {
	now := time.Now()
	has(t, now, " m=+")
	same(t, now == now.Round(0), false)
	same(t, now.Equal(now.Round(0)), true)
	before := now
	for range 100 {
		next := time.Now()
		if next.Before(before) || next.Sub(before) < 0 {
			t.Error(before, next)
		}
		before = next
	}
}

func TestJSONTime(t *testing.T) {
	now := time.Now()
	text, err := json.Marshal(now)
	must(t, err)
	var read time.Time
	must(t, json.Unmarshal(text, &read))
	same(t, read.Equal(now), true)
}

func TestReadings(t *testing.T) {
	begin := time.Now()
	for range 1000 {
		time.Now()
	}
	if d := time.Since(begin); d <= 0 || d > 100*time.Millisecond {
		t.Error(d)
	}
}

func TestBusyWait(t *testing.T) {
	n := 0
	for begin := time.Now(); time.Since(begin) < 2*time.Millisecond; n++ {
	}
	if n < 20 {
		t.Error(n)
	}
}

func TestSleep(t *testing.T) {
	begin := time.Now()
	time.Sleep(20 * time.Millisecond)
	if d := time.Since(begin); d < 20*time.Millisecond || d > 5*time.Second {
		t.Error(d)
	}
	time.Sleep(0)
	time.Sleep(-time.Second)
}

func TestTimer(t *testing.T) {
	timer := time.NewTimer(time.Millisecond)
	at := <-timer.C
	if d := time.Since(at); d < 0 || d > 5*time.Second {
		t.Error(d)
	}
	same(t, timer.Stop(), false)
	same(t, timer.Reset(time.Hour), false)
	same(t, timer.Stop(), true)
	same(t, cap(timer.C), 0)
}

func TestTicker(t *testing.T) {
	ticker := time.NewTicker(time.Millisecond)
	defer ticker.Stop()
	first := <-ticker.C
	second := <-ticker.C
	same(t, second.After(first), true)
}

func TestFarFuture(t *testing.T) {
	far := time.Date(2290, 1, 1, 0, 0, 0, 0, time.UTC)
	if d := time.Until(far); d < 100*365*24*time.Hour || d == 1<<63-1 {
		t.Error(d)
	}
	timer := time.NewTimer(1<<63 - 1)
	same(t, timer.Stop(), true)
}

func TestPast(t *testing.T) {
	if d := time.Since(time.Unix(0, 0)); d < 50*365*24*time.Hour {
		t.Error(d)
	}
	same(t, time.Now().After(time.Date(2023, 12, 31, 0, 0, 0, 0, time.UTC)), true)
}

func TestZone(t *testing.T) {
	_, offset := time.Now().UTC().Zone()
	same(t, offset, 0)
	now := time.Now()
	same(t, now.Local().Equal(now.UTC()), true)
}

func TestContextTimeout(t *testing.T) {
	ctx, cancel := context.WithTimeout(context.Background(), time.Millisecond)
	defer cancel()
	deadline, ok := ctx.Deadline()
	same(t, ok, true)
	<-ctx.Done()
	same(t, ctx.Err(), context.DeadlineExceeded)
	same(t, time.Now().Before(deadline), false)
}

func TestContextCause(t *testing.T) {
	ctx, cancel := context.WithCancelCause(context.Background())
	cancel(os.ErrClosed)
	same(t, context.Cause(ctx), os.ErrClosed)
	stop := context.AfterFunc(ctx, func() {})
	same(t, stop(), false)
}

// A self-signed certificate that was valid in 2021 alone.
func TestExpired(t *testing.T) {
	c := &x509.Certificate{NotBefore: time.Date(2021, 1, 1, 0, 0, 0, 0, time.UTC), NotAfter: time.Date(2022, 1, 1, 0, 0, 0, 0, time.UTC), Raw: []byte{1}}
	_, err := c.Verify(x509.VerifyOptions{Roots: x509.NewCertPool()})
	invalid, ok := err.(x509.CertificateInvalidError)
	same(t, ok, true)
	same(t, invalid.Reason, x509.Expired)
}

// between reports a modification time outside of an interval.
func between(t *testing.T, name string, from, to time.Time) time.Time {
	t.Helper()
	info, err := os.Lstat(name)
	must(t, err)
	const coarse = 20 * time.Millisecond // file systems have coarse clocks
	if m := info.ModTime(); m.Before(from.Add(-coarse)) || m.After(to.Add(coarse)) {
		t.Errorf("%s was modified at %v, want %v to %v", filepath.Base(name), m, from, to)
	}
	return info.ModTime()
}

func TestFileTimes(t *testing.T) {
	dir := t.TempDir()
	name := filepath.Join(dir, "a")
	step := func(what string, do func() error, names ...string) {
		t.Helper()
		time.Sleep(50 * time.Millisecond)
		before := time.Now()
		if err := do(); err != nil {
			t.Fatal(what, err)
		}
		for _, n := range names {
			between(t, n, before, time.Now())
		}
	}
	step("write", func() error { return os.WriteFile(name, []byte("text"), 0o600) }, name, dir)
	step("read", func() error { _, err := os.ReadFile(name); return err })
	step("truncate", func() error { return os.Truncate(name, 1) }, name)
	step("mkdir", func() error { return os.Mkdir(filepath.Join(dir, "d"), 0o700) }, dir, filepath.Join(dir, "d"))
	step("all", func() error { return os.MkdirAll(filepath.Join(dir, "e/f/g"), 0o700) }, dir, filepath.Join(dir, "e/f/g"))
	step("link", func() error { return os.Symlink("a", filepath.Join(dir, "s")) }, dir, filepath.Join(dir, "s"))
	step("rename", func() error { return os.Rename(name, filepath.Join(dir, "d", "b")) }, dir, filepath.Join(dir, "d"))
	step("remove", func() error { return os.Remove(filepath.Join(dir, "s")) }, dir)
	step("again", func() error { return os.WriteFile(name, []byte("text"), 0o600) }, name)
	step("append", func() error {
		f, err := os.OpenFile(name, os.O_APPEND|os.O_WRONLY, 0)
		must(t, err)
		defer f.Close()
		_, err = f.WriteString("more")
		return err
	}, name)
	step("copy", func() error {
		f, err := os.Create(filepath.Join(dir, "copy"))
		must(t, err)
		defer f.Close()
		_, err = f.ReadFrom(strings.NewReader("text"))
		return err
	}, filepath.Join(dir, "copy"))
}

func TestUnchangedFile(t *testing.T) {
	name := filepath.Join(t.TempDir(), "a")
	must(t, os.WriteFile(name, nil, 0o600))
	first, err := os.Stat(name)
	must(t, err)
	time.Sleep(50 * time.Millisecond)
	_, err = os.ReadFile(name)
	must(t, err)
	second, err := os.Stat(name)
	must(t, err)
	same(t, second.ModTime(), first.ModTime())
}

func TestChangedFile(t *testing.T) {
	name := filepath.Join(t.TempDir(), "a")
	must(t, os.WriteFile(name, nil, 0o600))
	first, err := os.Stat(name)
	must(t, err)
	time.Sleep(50 * time.Millisecond)
	must(t, os.WriteFile(name, nil, 0o600))
	f, err := os.Open(name)
	must(t, err)
	defer f.Close()
	second, err := f.Stat()
	must(t, err)
	same(t, second.ModTime().After(first.ModTime()), true)
	entries, err := os.ReadDir(filepath.Dir(name))
	must(t, err)
	third, err := entries[0].Info()
	must(t, err)
	same(t, third.ModTime(), second.ModTime())
}

func TestOldFile(t *testing.T) {
	info, err := os.Stat("time_test.go")
	must(t, err)
	if age := time.Since(info.ModTime()); age < 0 {
		t.Error(age)
	}
	exe, err := os.Executable()
	must(t, err)
	info, err = os.Stat(exe)
	must(t, err)
	if age := time.Since(info.ModTime()); age < 0 || age > time.Hour {
		t.Error(age)
	}
}

func TestChtimes(t *testing.T) {
	name := filepath.Join(t.TempDir(), "a")
	must(t, os.WriteFile(name, nil, 0o600))
	for _, at := range []time.Time{time.Date(2020, 2, 3, 4, 5, 6, 0, time.UTC), time.Now().Add(-time.Hour).Truncate(time.Second),
		time.Now().Add(time.Hour).Truncate(time.Second), time.Now().Add(3 * time.Second).Truncate(time.Second), time.Unix(0, 0)} {
		must(t, os.Chtimes(name, at, at))
		info, err := os.Stat(name)
		must(t, err)
		same(t, info.ModTime().Equal(at), true)
	}
	must(t, os.Chtimes(name, time.Now(), time.Time{}))
	info, err := os.Stat(name)
	must(t, err)
	same(t, info.ModTime().Equal(time.Unix(0, 0)), true)
}
