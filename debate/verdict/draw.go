package verdict

import (
	"cmp"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/binary"
	"hash"
	"slices"
	"strconv"
	"strings"
)

// draw returns a number for a claim that depends on the room's key and on the claim's words and evidence, not on its id, its place or
// the label of its option. It decides among equals. It is the first 8 bytes of an HMAC-SHA-256.
func draw(key, what string, c *Claim, more ...string) uint64 {
	return newUrn(key).draw(what, c, more...)
}

// urn draws with one key. It is not safe for concurrent use; each docket has its own.
type urn struct {
	mac  hash.Hash
	text []byte
}

func newUrn(key string) *urn { return &urn{mac: hmac.New(sha256.New, []byte(key))} }

func (u *urn) draw(what string, c *Claim, more ...string) uint64 {
	u.mac.Reset()
	u.text = u.text[:0]
	u.write(what)
	u.write(folded(c.Text))
	u.write(c.Evidence.place())
	for _, m := range more {
		u.write(m)
	}
	u.mac.Write(u.text)
	u.text = u.mac.Sum(u.text[:0])
	return binary.BigEndian.Uint64(u.text)
}

// write adds a text with its length before it, so that different lists of texts never give the same bytes.
func (u *urn) write(s string) { u.text = append(binary.AppendUvarint(u.text, uint64(len(s))), s...) }

// less compares claims by their text, then by their evidence.
func less(a, b *Claim) int {
	return cmp.Or(strings.Compare(folded(a.Text), folded(b.Text)), strings.Compare(a.Evidence.place(), b.Evidence.place()))
}

// folded returns a text in lower case with single spaces, so that how a claim is typed does not change its draw.
func folded(text string) string { return strings.ToLower(strings.Join(strings.Fields(text), " ")) }

// place identifies what evidence points at: it is the same for two claims that cite the same lines, command or page. It is empty for
// none.
func (e Evidence) place() string {
	switch e.Kind {
	case "quote":
		return "quote\x00" + e.File + "\x00" + strconv.Itoa(e.Line) + "\x00" + strings.Join(strings.Fields(e.Quote), " ")
	case "command":
		return "command\x00" + strings.Join(e.Command, "\x00") + "\x00\x00" + e.Expect
	case "source":
		return "source\x00" + e.URL + "\x00" + strings.Join(strings.Fields(e.Quote), " ")
	}
	return ""
}

// DrawJudge returns who judges a claim next: the judge without a seat first; then a seat, drawn from a lineage drawn from those other
// than the author's that were not asked about it yet. How often a seat has judged plays no part. It is false if nobody is left.
func (l Ledger) DrawJudge(c *Claim, seats []Vote) (Vote, bool) {
	author, u := l.Lineage(c.Seat), newUrn(l.DrawKey)
	var found Vote
	var lineage, seat uint64
	ok := false
	for _, v := range seats {
		if v.Lineage == author || v.Seat == c.Seat || l.askedAbout(c, v.Lineage) {
			continue
		}
		if l.Judge != nil && v.Seat == l.Judge.Seat {
			return v, true
		}
		a, b := u.draw("judge", c, v.Lineage), u.draw("seat", c, v.Lineage, v.Seat)
		if !ok || a < lineage || a == lineage && b < seat {
			found, lineage, seat, ok = v, a, b, true
		}
	}
	return found, ok
}

// JudgesLeft counts the lineages that can still judge a claim.
func (l Ledger) JudgesLeft(c *Claim, seats []Vote) int {
	author := l.Lineage(c.Seat)
	var left []string
	for _, v := range seats {
		if v.Lineage != author && v.Seat != c.Seat && !slices.Contains(left, v.Lineage) && !l.askedAbout(c, v.Lineage) {
			left = append(left, v.Lineage)
		}
	}
	return len(left)
}

// askedAbout reports whether a seat of a lineage was asked to judge a claim.
func (l Ledger) askedAbout(c *Claim, lineage string) bool {
	return slices.ContainsFunc(l.Checks, func(k Check) bool {
		return k.By != "" && k.Lineage == lineage && (k.Claim == c.ID || slices.Contains(c.Merged, k.Claim))
	})
}

// Spent counts the claims with a check that can carry weight, whatever its result.
func (l Ledger) Spent() int {
	seen := map[string]bool{}
	for _, k := range l.Checks {
		if c := l.Claim(k.Claim); c != nil && (k.By != "" || k.Kind == "command" || k.Asked != "") {
			seen[c.ID] = true
		}
	}
	return len(seen)
}

// Group marks each claim that says the same as another with the other's id. Which one is shown for the rest depends only on what they
// say. Nothing else changes: each keeps its author, its evidence and its place in its author's case.
func (l Ledger) Group(same func(a, b Claim) bool) {
	order := make([]*Claim, len(l.Claims))
	for i := range l.Claims {
		order[i] = &l.Claims[i]
	}
	slices.SortStableFunc(order, func(a, b *Claim) int { return cmp.Or(less(a, b), cmp.Compare(l.Lineage(a.Seat), l.Lineage(b.Seat))) })
	// Each claim is compared with all before it: rooms have a few dozen claims, so this is fast.
	for i, c := range order {
		for _, have := range order[:i] {
			if c.SameAs == "" && have.SameAs == "" && c.Vetoed == "" && have.Vetoed == "" && same(*have, *c) {
				c.SameAs, c.Put = have.ID, false
			}
		}
	}
}
