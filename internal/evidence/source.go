package evidence

import (
	"context"
	"fmt"
	"net/netip"
	"net/url"
	"strings"

	"github.com/socrates-cli/socrates/debate/verdict"
	"github.com/socrates-cli/socrates/internal/clean"
	"github.com/socrates-cli/socrates/internal/debate"
	"github.com/socrates-cli/socrates/internal/web"
)

// typeset replaces typographic characters by those that people and models type.
var typeset = strings.NewReplacer("‘", "'", "’", "'", "“", `"`, "”", `"`, "–", "-", "—", "-", "…", "...")

// source fetches a page of an allowed host and looks for the quote in its text. A page that cannot be fetched shows nothing.
func (l *Looker) source(ctx context.Context, e verdict.Evidence) (debate.Observation, error) {
	flat, err := wanted(typeset.Replace(e.Quote))
	if err != nil {
		return debate.Observation{}, err
	}
	address, err := web.Parse(e.URL)
	if err != nil {
		return debate.Observation{}, err
	}
	client := web.Client{May: l.listed, Inner: func(_ string, a netip.Addr) bool { return l.Loopback && a.IsLoopback() }}
	page, err := client.Get(ctx, address)
	if err != nil {
		return debate.Observation{}, fmt.Errorf("fetching from %s: %w", address.Host, err)
	}
	o := debate.Observation{Result: verdict.Fail, Grade: verdict.Fetched, Detail: "the page does not contain it",
		Proof: verdict.Proof{URL: clean.Line(page.URL), SHA256: sum(page.Body)}}
	body, err := page.Text()
	if err != nil {
		return debate.Observation{}, err
	}
	t := newText(typeset.Replace(body))
	p, found := t.find(flat, 0)
	switch {
	case found:
		o.Result, o.Lines, o.Detail = verdict.Pass, t.excerpt(p), "found on the page"
	case page.Cut:
		return debate.Observation{}, fmt.Errorf("the first %d MB of the page do not contain it", web.Most>>20)
	}
	return o, nil
}

// listed returns nil for a host on the list. It is also called for redirects.
func (l *Looker) listed(_ context.Context, u *url.URL) error {
	if !web.Among(l.Sources, u) {
		return fmt.Errorf("%s is not an allowed source", web.Host(u))
	}
	return nil
}
