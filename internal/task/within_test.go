package task

import (
	"context"
	"errors"
	"testing"
)

// Long work does not delay a canceled command.
func TestWithin(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	end := make(chan struct{})
	defer close(end)
	_, err := within(ctx, func() (int, error) {
		cancel()
		<-end
		return 1, nil
	})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
	failed := errors.New("failed")
	if n, err := within(t.Context(), func() (int, error) { return 2, failed }); n != 2 || !errors.Is(err, failed) {
		t.Errorf("%d, %v", n, err)
	}
}
