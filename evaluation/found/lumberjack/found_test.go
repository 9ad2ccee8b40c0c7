package lumberjack

import (
	"fmt"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"gopkg.in/natefinch/lumberjack.v2"
)

// Close does not end the goroutine that removes old files.
func TestClose(t *testing.T) {
	before := runtime.NumGoroutine()
	for i := range 100 {
		log := &lumberjack.Logger{Filename: filepath.Join(t.TempDir(), fmt.Sprint(i, ".log")), MaxBackups: 1}
		if _, err := log.Write([]byte("text\n")); err != nil {
			t.Fatal(err)
		}
		if err := log.Close(); err != nil {
			t.Fatal(err)
		}
	}
	time.Sleep(time.Second)
	if n := runtime.NumGoroutine() - before; n > 0 {
		t.Errorf("%d goroutines are left of 100 closed loggers", n)
	}
}
