package bus

import (
	"strings"
	"testing"

	"github.com/nats-io/nats.go"

	"github.com/socrates-cli/socrates/internal/fleet"
)

// What the server logs is a breach only if the server says so: a client is called as it likes.
func TestLinesOfTheServersLog(t *testing.T) {
	key := "U" + strings.Repeat("A", 55)
	const at, acs = "127.0.0.1:5 - cid:7", ` - "ACC/fleet/jwt:`
	me := acs + key + `"`
	for name, row := range map[string]struct {
		format string
		v      []any
		want   breach
		no     bool
	}{
		"publishes": {at + ` - "v1:go:w1"` + me + " - Publish Violation - Subject %q", []any{[]byte("task.x")},
			breach{7, key, "task.x", "it may not publish there"}, false},
		"is called by nothing": {at + me + " - Publish Violation - Subject %q", []any{[]byte("task.x")},
			breach{7, key, "task.x", "it may not publish there"}, false},
		"wants answers": {at + me + " - Publish Violation - Reply %q", []any{[]byte("$JS.ACK.x")},
			breach{7, key, "$JS.ACK.x", "it may not receive answers there"}, false},
		"listens": {at + me + ` - Subscription Violation - Subject "task.>", SID 1`, nil,
			breach{7, key, "task.>", "it may not listen there"}, false},
		"listens with others": {at + me + ` - Subscription Violation - Subject "task.>", Queue: "q", SID 1`, nil,
			breach{7, key, "task.>", "it may not listen there"}, false},
		"sends much": {at + me + " - %s: %d vs %d", []any{"maximum payload exceeded", 9, int32(8)},
			breach{7, key, "a message", "it has 9 bytes; the limit is 8"}, false},
		"has verbs in its name": {at + ` - "%s%d"` + me + " - Publish Violation - Subject %q", []any{[]byte("task.x")},
			breach{7, key, "task.x", "it may not publish there"}, false},
		"is called by another's key": {at + ` - "x/jwt:U` + strings.Repeat("B", 55) + `"` + me + " - Publish Violation - Subject %q",
			[]any{[]byte("task.x")}, breach{7, key, "task.x", "it may not publish there"}, false},
		"says it is another user": {at + ` - "x/jwt:` + key + `" - "ACC/fleet/nkey:` + key + `" - Publish Violation - Subject %q`,
			[]any{[]byte("task.x")}, breach{7, "", "task.x", "it may not publish there"}, false},
		"has control characters": {at + me + " - Publish Violation - Subject %q", []any{[]byte("a\x1b[2J")},
			breach{7, key, `a\x1b[2J`, "it may not publish there"}, false},
		"is called like a breach": {at + ` - "x - Subscription Violation - Subject \"y\""` + me + " - authentication error", nil, breach{}, true},
		"another line":            {at + me + " - Client connection closed: %s", []any{"x"}, breach{}, true},
		"of no connection":        {"Publish Violation - Subject %q", []any{[]byte("x")}, breach{}, true},
	} {
		if b, ok := breachOf(row.format, row.v); b != row.want || ok == row.no {
			t.Errorf("who %s: %+v, %t; want %+v", name, b, ok, row.want)
		}
	}
	b, _ := breachOf(at+me+" - Publish Violation - Subject %q", []any{[]byte(strings.Repeat("x", 4000))})
	if len(b.what) > 210 {
		t.Error(len(b.what), "bytes of a subject")
	}
}

// A worker that says it is called by another's key keeps that one from nothing: its credential says whose it is.
func TestAnothersKeyAsAName(t *testing.T) {
	_, c1, _, dir1, dir2 := admittedWorkers(t, newBook("p_a"))
	victim, err := memberIn(dir1)
	if err != nil {
		t.Fatal(err)
	}
	raw(t, dir2, nats.UserInfo(keyOf(t, victim), "x"), nats.Name("another"))
	if err := c1.Offer(within(t), fleet.Offer{Build: "test"}); err != nil {
		t.Error(err)
	}
}
