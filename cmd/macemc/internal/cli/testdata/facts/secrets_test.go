// Package facts states what a test can observe on an ordinary machine. Plain go test and "macemc test" both pass it.
package facts

import (
	"crypto/hmac"
	"crypto/sha256"
	"crypto/subtle"
	"testing"
)

func TestHMAC(t *testing.T) {
	sum := func(text string) []byte {
		h := hmac.New(sha256.New, []byte("key"))
		h.Write([]byte(text))
		return h.Sum(nil)
	}
	if !hmac.Equal(sum("a"), sum("a")) {
		t.Error("equal codes differ")
	}
	if hmac.Equal(sum("a"), sum("b")) {
		t.Error("different codes are equal")
	}
}

func TestConstantTime(t *testing.T) {
	got := [...]int{
		subtle.ConstantTimeCompare([]byte("ab"), []byte("ab")), subtle.ConstantTimeCompare([]byte("ab"), []byte("ac")),
		subtle.ConstantTimeCompare([]byte("ab"), []byte("abc")),
		subtle.ConstantTimeEq(1, 1), subtle.ConstantTimeEq(1, 2),
		subtle.ConstantTimeByteEq(1, 1), subtle.ConstantTimeByteEq(1, 2),
		subtle.ConstantTimeLessOrEq(1, 1), subtle.ConstantTimeLessOrEq(2, 1),
		subtle.ConstantTimeSelect(1, 3, 4), subtle.ConstantTimeSelect(0, 3, 4),
	}
	if want := [...]int{1, 0, 0, 1, 0, 1, 0, 1, 0, 3, 4}; got != want {
		t.Errorf("%v, want %v", got, want)
	}
}
