package kv

import (
	"context"
	"crypto/rand"
	"net/http"
	"strings"
	"time"
)

// Client talks to a store.
type Client struct {
	URL  string
	HTTP *http.Client
}

// Append appends text to a value. It returns when the store has done that.
func (c *Client) Append(ctx context.Context, key, text string) error {
	request := rand.Text()
	for {
		r, err := http.NewRequestWithContext(ctx, "POST", c.URL+"/"+key, strings.NewReader(text))
		if err != nil {
			return err
		}
		r.Header.Set("Idempotency-Key", request)
		answer, err := c.HTTP.Do(r)
		if err == nil {
			answer.Body.Close()
			if answer.StatusCode == http.StatusOK {
				return nil
			}
		}
		select {
		case <-time.After(time.Second):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}
