package scene

import (
	"fmt"

	"github.com/socrates-cli/socrates/internal/llm/cost"
)

// Cache notices when a vendor's cache no longer holds what a conversation sends again with each call.
// Its zero value has seen no call.
type Cache struct{ before cost.Usage }

// fewTokens is what a call has to send before the cache is looked at: vendors cache nothing shorter.
const fewTokens = 4096

// Fell takes in the next call of a conversation, and says it if the share that came from the cache fell below half of what it was. One
// that sends much less than the call before has another beginning, as after a summary, and is not compared.
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

// sent is all that a call sent.
func sent(u cost.Usage) int { return u.Input + u.CacheRead + u.CacheWrite }
