package debate

import (
	"encoding/json"
	"hash/fnv"
	"math/rand/v2"
)

// shuffler gives the random order that belongs to a seed and some words; the same ones give the same order.
func shuffler(seed uint64, words ...string) *rand.Rand {
	h := fnv.New64a()
	for _, w := range words {
		h.Write([]byte(w))
		h.Write([]byte{0})
	}
	return rand.New(rand.NewPCG(seed, h.Sum64()))
}

// mustJSON is a value as JSON. Everything it is given is ours, so a failure is a programmer's mistake.
func mustJSON(v any) string {
	raw, err := json.Marshal(v)
	if err != nil {
		panic("debate: " + err.Error())
	}
	return string(raw)
}
