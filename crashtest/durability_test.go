package crashtest

import (
	"strings"
	"testing"

	"github.com/macemc/macemc/internal/encoding"
	"github.com/macemc/macemc/internal/encoding/rule"
	"github.com/macemc/macemc/internal/kernel/declared"
)

// Reports describe announcements by calls, with the beginning of long values.
func TestRules(t *testing.T) {
	plans, err := encoding.NewSet(declared.Rules(rules, rule.Showing())...)
	if err != nil {
		t.Fatal(err)
	}
	long := strings.Repeat("1", 700)
	short := `"` + long[:40] + `"... (700 bytes)`
	for want, event := range map[string]any{
		"Put(key, " + short + ")":          writing{Key: "key", Value: long},
		`Put(key, "v") returned`:           written{Key: "key", Value: "v"},
		"Delete(key)":                      writing{Key: "key", Deletes: true},
		"Append(" + short + ") returned":   written{Value: long},
		"Get(key) returned " + short:       read{"key", long, true},
		"Get(key) returned nothing":        read{Key: "key"},
		"Take() returned " + short:         taken{long, true},
		"Trim of " + short + `, "v"`:       trimming{[]string{long, "v"}},
		"records: none":                    content{},
		`records: ` + short + ", " + short: content{[]string{long, long}},
	} {
		plan, err := plans.Of(event)
		if err != nil {
			t.Fatal(err)
		}
		if got := plan.Names(event); got != want {
			t.Errorf("%T: %s, want %s", event, got, want)
		}
	}
}
