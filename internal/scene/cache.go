package scene

import (
	"fmt"

	"github.com/socrates-cli/socrates/internal/llm/cost"
)

// Cache detects when a vendor's cache no longer holds what a conversation resends with each call. Its zero value has seen no call.
type Cache struct{ before cost.Usage }

// fewTokens is what a call has to send before its use of the cache is compared: vendors cache nothing shorter.
const fewTokens = 4096

// Fell records the next call of a conversation, and returns a notice if the share read from the cache fell below half of the previous
// share. A call that sends much less than the one before has another beginning, for example after a summary, and is not compared.
func (c *Cache) Fell(u cost.Usage) string {
	in := sent(u)
	if in == 0 || u.Least { // nothing was counted, or not by the vendor
		return ""
	}
	was := sent(c.before)
	before, now := c.before.CacheRead*100/max(was, 1), u.CacheRead*100/in
	c.before = u
	if was < fewTokens || in < was/2 || before < 50 || now >= before/2 {
		return ""
	}
	return fmt.Sprintf("only %d %% of the input came from the provider's cache (%d %% in the previous call); "+
		"the rest costs the full price (a pause or another model empties the cache)", now, before)
}

// sent is the number of tokens that a call sent.
func sent(u cost.Usage) int { return u.Input + u.CacheRead + u.CacheWrite }
