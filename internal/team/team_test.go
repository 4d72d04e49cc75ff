package team_test

import (
	"context"
	"errors"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/socrates-cli/socrates/internal/team"
)

// clock is one that a test sets.
type clock struct{ at time.Time }

func (c *clock) now() time.Time { return c.at }

func open(t testing.TB, c *clock) *team.Book {
	t.Helper()
	b, err := team.Open(context.Background(), filepath.Join(t.TempDir(), "team.db"), c.now)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { b.Close() })
	return b
}

func start() *clock { return &clock{time.Date(2026, 5, 30, 23, 0, 0, 0, time.UTC)} }

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func refused(t testing.TB, err error, says string) {
	t.Helper()
	if r, ok := errors.AsType[*team.Refusal](err); !ok || !strings.Contains(r.Why, says) {
		t.Errorf("%v; want a refusal that says %q", err, says)
	}
}

func TestPeople(t *testing.T) {
	b, ctx := open(t, start()), t.Context()
	must(t, b.Enter(ctx, team.Person{Name: "alice", Role: team.Debater, Login: " Alice@Example.org"}))
	refused(t, b.Enter(ctx, team.Person{Name: "bob", Role: team.Reader, Login: "alice@example.org"}), "alice signs in as")
	refused(t, b.Enter(ctx, team.Person{Name: "bob", Role: "king"}), "is not a role")
	for _, name := range []string{"", "Bob", "b b", "../b", "-b", strings.Repeat("b", 65)} {
		refused(t, b.Enter(ctx, team.Person{Name: name, Role: team.Reader}), "is not a person's name")
	}
	for _, name := range []string{"all", "nobody", "owner"} {
		refused(t, b.Enter(ctx, team.Person{Name: name, Role: team.Reader}), "is reserved")
	}
	if p, ok, err := b.ByLogin(ctx, "", "ALICE@example.org"); err != nil || !ok || p.Name != "alice" {
		t.Errorf("by login: %v %v %v", p, ok, err)
	}
	if _, ok, err := b.ByLogin(ctx, ""); err != nil || ok {
		t.Errorf("nobody signs in with nothing: %v %v", ok, err)
	}
	must(t, b.Enter(ctx, team.Person{Name: "alice", Role: team.Admin}))
	if p, _, _ := b.Person(ctx, "alice"); p.Role != team.Admin || p.Login != "" {
		t.Errorf("changed to %+v", p)
	}
	must(t, b.Leave(ctx, "alice"))
	refused(t, b.Leave(ctx, "alice"), "no person named alice")
}

func TestShares(t *testing.T) {
	b, ctx := open(t, start()), t.Context()
	for name, role := range map[string]team.Role{"ann": team.Admin, "bob": team.Agent, "cem": team.Reader} {
		must(t, b.Enter(ctx, team.Person{Name: name, Role: role}))
	}
	refused(t, b.Share(ctx, team.Share{Kind: team.OfWorker, Name: "w", People: []string{"dora"}}), "no person named dora")
	refused(t, b.Share(ctx, team.Share{Kind: team.OfPerson, Name: "bob"}), "cannot be shared")
	must(t, b.Share(ctx, team.Share{Kind: team.OfProject, Name: "/p/private"}))
	must(t, b.Share(ctx, team.Share{Kind: team.OfProject, Name: "/p/bobs", Owner: "bob"}))
	must(t, b.Share(ctx, team.Share{Kind: team.OfProject, Name: "/p/some", Owner: "bob", People: []string{"cem"}}))
	must(t, b.Share(ctx, team.Share{Kind: team.OfProject, Name: "/p/open", People: []string{team.Everybody}}))
	must(t, b.Share(ctx, team.Share{Kind: team.OfWorker, Name: "laptop", Owner: "cem"}))
	for person, want := range map[string][]string{"": nil, "ann": nil, "bob": {"/p/private"}, "cem": {"/p/bobs", "/p/private"},
		"gone": {"/p/bobs", "/p/private", "/p/some"}} {
		if got, err := b.Hidden(ctx, person, team.OfProject); err != nil || !slices.Equal(got, want) {
			t.Errorf("%q does not see %v, want %v (%v)", person, got, want, err)
		}
	}
	if got, _ := b.Hidden(ctx, "bob", team.OfWorker); !slices.Equal(got, []string{"laptop"}) {
		t.Errorf("bob does not see the workers %v", got)
	}
}

// Who is called as somebody was who left, or a worker that was revoked, has nothing of what was theirs.
func TestALaterOneOfTheName(t *testing.T) {
	b, ctx := open(t, start()), t.Context()
	for _, name := range []string{"bob", "bo", "cem"} {
		must(t, b.Enter(ctx, team.Person{Name: name, Role: team.Agent}))
	}
	must(t, b.Share(ctx, team.Share{Kind: team.OfProject, Name: "/p/bobs", Owner: "bob", People: []string{"bob"}}))
	must(t, b.Share(ctx, team.Share{Kind: team.OfProject, Name: "/p/some", Owner: "cem", People: []string{"bo", "bob", "bob", "cem"}}))
	must(t, b.Share(ctx, team.Share{Kind: team.OfProject, Name: "/p/open", Owner: "bob", People: []string{team.Everybody}}))
	must(t, b.Share(ctx, team.Share{Kind: team.OfWorker, Name: "w1", Owner: "cem", People: []string{"bo"}}))
	must(t, b.Share(ctx, team.Share{Kind: team.OfWorker, Name: "w2", Owner: "cem", People: []string{team.Everybody}}))
	must(t, b.Share(ctx, team.Share{Kind: team.OfWorker, Name: "w3", People: []string{"bo"}}))
	must(t, b.Leave(ctx, "bob"))
	must(t, b.Enter(ctx, team.Person{Name: "bob", Role: team.Reader}))
	must(t, b.Retire(ctx, "w1"))
	must(t, b.Retire(ctx, "w2"))
	must(t, b.Retire(ctx, "nobody"))
	shares, err := b.Shares(ctx, "")
	want := []team.Share{
		{Kind: team.OfProject, Name: "/p/bobs", People: []string{}},
		{Kind: team.OfProject, Name: "/p/open", People: []string{team.Everybody}},
		{Kind: team.OfProject, Name: "/p/some", Owner: "cem", People: []string{"bo", "cem"}},
		{Kind: team.OfWorker, Name: "w1", People: []string{}},
		{Kind: team.OfWorker, Name: "w2", People: []string{team.Everybody}},
		{Kind: team.OfWorker, Name: "w3", People: []string{"bo"}},
	}
	if err != nil || !reflect.DeepEqual(shares, want) {
		t.Errorf("%+v, %v; want %+v", shares, err, want)
	}
	if got, err := b.Hidden(ctx, "bob", team.OfProject); err != nil || !slices.Equal(got, []string{"/p/bobs", "/p/some"}) {
		t.Errorf("the later bob does not see %v, %v", got, err)
	}
}

func TestQuota(t *testing.T) {
	at := start()
	b, ctx := open(t, at), t.Context()
	must(t, b.Enter(ctx, team.Person{Name: "bob", Role: team.Debater}))
	must(t, b.Limit(ctx, team.Quota{Kind: team.OfPerson, Name: "bob", USD: 10, Period: team.Month}))
	must(t, b.Limit(ctx, team.Quota{Kind: team.OfProject, Name: "/p", Tokens: 100, Period: team.Day}))
	refused(t, b.Limit(ctx, team.Quota{Kind: team.OfPerson, Name: "bob", USD: 1, Period: "year"}), "is not a period")
	refused(t, b.Limit(ctx, team.Quota{Kind: team.OfPerson, Name: "carol", USD: 1, Period: team.Day}), "no person named carol")
	id, err := b.Reserve(ctx, team.Call{Person: "bob", Project: "/p/sub", USD: 6, Tokens: 90})
	must(t, err)
	over := func(c team.Call, says string) {
		t.Helper()
		_, err := b.Reserve(ctx, c)
		if o, ok := errors.AsType[*team.Over](err); !ok || !strings.Contains(o.Error(), says) {
			t.Errorf("%v; want one that says %q", err, says)
		}
	}
	over(team.Call{Person: "bob", Project: "/other", USD: 4.01}, "the quota of person bob a month does not cover the next call: $4.00 of "+
		"$10.00 left until 1 June 00:00 UTC")
	over(team.Call{Person: "ann", Project: "/p", Tokens: 11}, "the quota of project /p a day does not cover the next call: 10 of 100 tokens "+
		"left until 31 May 00:00 UTC")
	if _, err := b.Reserve(ctx, team.Call{Person: "ann", Project: "/pp", Tokens: 11}); err != nil {
		t.Errorf("a folder whose name only begins alike: %v", err)
	}
	bobs := team.Call{Person: "bob", Project: "/p/sub"}
	must(t, b.Settle(ctx, id, bobs, team.Bill{USD: 1, Tokens: 20}))
	must(t, b.Settle(ctx, id, bobs, team.Bill{USD: 7, Tokens: 20})) // settled already
	if _, err = b.Reserve(ctx, team.Call{Person: "bob", Project: "/p", USD: 9, Tokens: 80}); err != nil {
		t.Errorf("what was not used is free again: %v", err)
	}
	over(team.Call{Person: "bob", USD: .01}, "$0.00 of $10.00 left")
	at.at = at.at.Add(7 * time.Hour) // the next day; the reservation, of yesterday, was never settled, and is booked there
	if _, err = b.Reserve(ctx, team.Call{Person: "ann", Project: "/p", Tokens: 100}); err != nil {
		t.Errorf("a new day has begun: %v", err)
	}
	over(team.Call{Person: "bob", USD: .01}, "$0.00 of $10.00 left")
	at.at = at.at.Add(24 * time.Hour) // June
	if _, err = b.Reserve(ctx, team.Call{Person: "bob", Project: "/p", USD: 10, Tokens: 100}); err != nil {
		t.Errorf("the next periods have begun: %v", err)
	}
	must(t, b.Limit(ctx, team.Quota{Kind: team.OfPerson, Name: "bob", Period: team.Day}))
	if _, err = b.Reserve(ctx, team.Call{Person: "bob", USD: 1000}); err != nil {
		t.Errorf("the quota was removed: %v", err)
	}
}

// What would bind nobody and nothing is refused, and a folder is meant however it was typed.
func TestNames(t *testing.T) {
	b, ctx := open(t, start()), t.Context()
	must(t, b.Enter(ctx, team.Person{Name: "bob", Role: team.Debater}))
	for _, name := range []string{"BOB", "bob ", "zoe"} {
		refused(t, b.Limit(ctx, team.Quota{Kind: team.OfPerson, Name: name, Tokens: 5, Period: team.Day}), "no person named")
	}
	must(t, b.Limit(ctx, team.Quota{Kind: team.OfPerson, Name: "zoe", Period: team.Day})) // takes one away of somebody who left
	refused(t, b.Limit(ctx, team.Quota{Kind: team.OfProject, Name: "p", Tokens: 5, Period: team.Day}), "full path")
	refused(t, b.Share(ctx, team.Share{Kind: team.OfProject, Name: "p"}), "full path")
	must(t, b.Limit(ctx, team.Quota{Kind: team.OfProject, Name: "/p/sub/../", Tokens: 5, Period: team.Day}))
	if _, err := b.Reserve(ctx, team.Call{Project: "/p", Tokens: 6}); err == nil {
		t.Error("a quota of a folder with a slash at its end binds nothing")
	}
	must(t, b.Share(ctx, team.Share{Kind: team.OfProject, Name: "/p/secret/"}))
	must(t, b.Share(ctx, team.Share{Kind: team.OfProject, Name: "/p/secret", People: []string{team.Everybody}}))
	if hidden, err := b.Hidden(ctx, "bob", team.OfProject); err != nil || len(hidden) > 0 {
		t.Errorf("shared again, and hidden still: %v, %v", hidden, err)
	}
}

// A call that is made again after a crash keeps its reservation.
func TestReservedOnce(t *testing.T) {
	b, ctx := open(t, start()), t.Context()
	must(t, b.Enter(ctx, team.Person{Name: "bob", Role: team.Debater}))
	must(t, b.Limit(ctx, team.Quota{Kind: team.OfPerson, Name: "bob", USD: 1.5, Period: team.Day}))
	first, err := b.Reserve(ctx, team.Call{Person: "bob", Key: "task", USD: 1})
	must(t, err)
	again, err := b.Reserve(ctx, team.Call{Person: "bob", Key: "task", USD: 1})
	must(t, err)
	if first != again {
		t.Errorf("%d and %d", first, again)
	}
}

// Who caused it and who paid are two columns: a worker's owner pays for what it answers for others, also as one of a pool.
func TestWhoPaid(t *testing.T) {
	b, ctx := open(t, start()), t.Context()
	must(t, b.Enter(ctx, team.Person{Name: "cem", Role: team.Reader}))
	must(t, b.Share(ctx, team.Share{Kind: team.OfWorker, Name: "laptop", Owner: "cem", People: []string{team.Everybody}}))
	c := team.Call{Person: "bob", Pool: "team", Project: "/p", USD: 1}
	for _, usd := range []float64{0, 5} { // without a quota nothing is reserved, and all the same booked
		must(t, b.Limit(ctx, team.Quota{Kind: team.OfPool, Name: "team", USD: usd, Period: team.Day}))
		id, err := b.Reserve(ctx, c)
		must(t, err)
		if (id == 0) != (usd == 0) {
			t.Errorf("with a quota of %v it is reserved as %d", usd, id)
		}
		must(t, b.Settle(ctx, id, c, team.Bill{Worker: "laptop", USD: .5, Tokens: 10}))
	}
	lines, err := b.Spent(ctx, start().at)
	must(t, err)
	want := team.Line{Day: "2026-05-30", Person: "bob", Payer: "cem", Pool: "team", Project: "/p", Calls: 2, USD: 1, Tokens: 20}
	if len(lines) != 1 || lines[0] != want {
		t.Errorf("%+v", lines)
	}
}

// Whatever is reserved and settled at once, no quota is exceeded, and the sum of the lines is what was billed.
func TestNeverOver(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		b, ctx := open(t, start()), context.Background()
		limit := rapid.IntRange(1, 50).Draw(r, "limit")
		must(t, b.Limit(ctx, team.Quota{Kind: team.OfPool, Name: "w", Tokens: limit, Period: team.Day}))
		calls := rapid.SliceOfN(rapid.IntRange(1, 20), 1, 20).Draw(r, "calls")
		var mu sync.Mutex
		var wg sync.WaitGroup
		billed := 0
		for i, n := range calls {
			wg.Go(func() {
				id, err := b.Reserve(ctx, team.Call{Pool: "w", Tokens: n})
				if err != nil {
					return
				}
				took := n / (i%3 + 1)
				b.Settle(ctx, id, team.Call{Pool: "w"}, team.Bill{Tokens: took})
				mu.Lock()
				billed += took
				mu.Unlock()
			})
		}
		wg.Wait()
		list, err := b.Quotas(ctx)
		must(t, err)
		if list[0].UsedTokens > limit || list[0].UsedTokens != billed {
			r.Fatalf("%d used of %d, %d billed", list[0].UsedTokens, limit, billed)
		}
	})
}
