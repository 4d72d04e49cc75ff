package debate

import (
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"strings"

	"github.com/socrates-cli/socrates/debate/verdict"
	"github.com/socrates-cli/socrates/internal/debate/motion"
)

// shuffler returns a random source for a seed and some words; equal ones give the same order.
func shuffler(seed uint64, words ...string) *rand.Rand {
	h := fnv.New64a()
	for _, w := range words {
		h.Write([]byte(w))
		h.Write([]byte{0})
	}
	return rand.New(rand.NewPCG(seed, h.Sum64()))
}

// draw returns a number for a claim that depends on a room's seed and the claim's content, not on its id or place.
func draw(seed uint64, what string, c *verdict.Claim, more ...string) uint64 {
	e := c.Evidence
	content := append([]string{what, motion.Plain(c.Text), e.Kind, e.File, fmt.Sprint(e.Line), e.Quote,
		strings.Join(e.Command, "\x00"), e.URL},
		more...)
	return shuffler(seed, content...).Uint64()
}
