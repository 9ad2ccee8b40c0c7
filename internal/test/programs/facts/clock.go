package facts

import (
	"context"
	"errors"
	"os"
	"time"
)

var ofTime = map[string]fact{
	"sleep": func() any {
		began := time.Now()
		time.Sleep(20 * time.Millisecond)
		d := time.Since(began)
		return d >= 20*time.Millisecond && d < 10*time.Second
	},
	"no sleep":      func() any { time.Sleep(-time.Second); return true },
	"clock goes on": func() any { a := time.Now(); b := time.Now(); return !b.Before(a) },
	"monotonic":     func() any { t := time.Now(); return []any{t == t.Round(0), t.Equal(t.Round(0))} },
	"wall clock":    func() any { now := time.Now(); return now.Unix() > 0 && now.Unix() < 1<<34 },
	"zone":          func() any { name, offset := time.Now().Zone(); return []any{name, offset, time.Local.String()} },
	"location":      func() any { l, err := time.LoadLocation("Europe/Berlin"); return []any{l, err} },
	"no location":   func() any { _, err := time.LoadLocation("No/Where"); return err },
	"timer": func() any {
		t := time.NewTimer(time.Millisecond)
		<-t.C
		return []any{t.Stop(), t.Reset(time.Hour), t.Stop()}
	},
	"ticker": func() any {
		t := time.NewTicker(time.Millisecond)
		defer t.Stop()
		a := <-t.C
		b := <-t.C
		return b.After(a)
	},
	"after func": func() any { c := make(chan bool); time.AfterFunc(time.Millisecond, func() { c <- true }); return <-c },
	"bad ticker": func() any { return time.NewTicker(0) },
	"context: time": func() any {
		ctx, stop := context.WithTimeout(context.Background(), time.Millisecond)
		defer stop()
		<-ctx.Done()
		return ctx.Err()
	},
	"context: cause": func() any {
		ctx, stop := context.WithCancelCause(context.Background())
		stop(errors.New("a cause"))
		return context.Cause(ctx)
	},
	"context: remains": func() any {
		ctx, stop := context.WithTimeout(context.Background(), time.Hour)
		defer stop()
		d, ok := ctx.Deadline()
		return []any{ok, time.Until(d) > 59*time.Minute}
	},
	"file's time": func() any {
		before := time.Now().Add(-time.Minute)
		at := must(os.Stat(written("time", ""))).ModTime()
		return at.After(before) && at.Before(time.Now().Add(time.Minute))
	},
	"set file's time": func() any {
		at := time.Unix(1e9, 0)
		must(0, os.Chtimes(written("times", ""), at, at))
		return must(os.Stat(home("times"))).ModTime().Equal(at)
	},
	"file's time and system's": func() any { return must(os.Stat("/etc/passwd")).ModTime().Before(time.Now()) },
}
