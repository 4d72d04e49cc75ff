package puzzle

import (
	"fmt"
	"math/rand/v2"
	"strings"

	"github.com/socrates-cli/socrates/internal/eval/suite"
)

// setting is a key of the configuration, with a function that draws its value.
type setting struct {
	key  string
	draw func(rng *rand.Rand) int
}

// rule is a sentence about two settings that holds or does not.
type rule struct {
	words string
	a, b  setting
	holds func(a, b int) bool
}

// between draws from low to high in steps, including both ends.
func between(low, high, step int) func(*rand.Rand) int {
	return func(rng *rand.Rand) int { return low + step*rng.IntN((high-low)/step+1) }
}

var rules = []rule{
	{"pool.max is at least twice pool.min", setting{"pool.max", between(4, 80, 1)}, setting{"pool.min", between(2, 40, 1)},
		func(a, b int) bool { return a >= 2*b }},
	{"http.timeout_ms is longer than upstream.timeout_ms", setting{"http.timeout_ms", between(500, 9000, 250)},
		setting{"upstream.timeout_ms", between(500, 9000, 250)}, func(a, b int) bool { return a > b }},
	{"cache.size_mb is less than half of memory.limit_mb", setting{"cache.size_mb", between(64, 1024, 32)},
		setting{"memory.limit_mb", between(512, 2048, 128)}, func(a, b int) bool { return 2*a < b }},
	{"cluster.quorum is more than half of cluster.replicas", setting{"cluster.quorum", between(1, 9, 1)},
		setting{"cluster.replicas", between(3, 11, 2)}, func(a, b int) bool { return 2*a > b && a <= b }},
	{"backup.keep_days is at least as long as log.keep_days", setting{"backup.keep_days", between(7, 120, 1)},
		setting{"log.keep_days", between(7, 120, 1)}, func(a, b int) bool { return a >= b }},
	{"queue.length is a multiple of queue.workers", setting{"queue.length", between(32, 512, 4)},
		setting{"queue.workers", between(3, 16, 1)}, func(a, b int) bool { return a%b == 0 }},
	{"retry.attempts times retry.pause_ms is at most 10000", setting{"retry.attempts", between(2, 12, 1)},
		setting{"retry.pause_ms", between(200, 3000, 100)}, func(a, b int) bool { return a*b <= 10000 }},
	{"proxy.body_limit_kb is larger than upload.limit_mb", setting{"proxy.body_limit_kb", between(2048, 65536, 1024)},
		setting{"upload.limit_mb", between(2, 64, 1)}, func(a, b int) bool { return a > b*1024 }},
	{"session.ttl_s is shorter than token.ttl_min", setting{"session.ttl_s", between(300, 7200, 60)},
		setting{"token.ttl_min", between(5, 120, 5)}, func(a, b int) bool { return a < b*60 }},
	{"shard.size_gb times shard.count is below 2000", setting{"shard.size_gb", between(20, 400, 10)},
		setting{"shard.count", between(2, 24, 1)}, func(a, b int) bool { return a*b < 2000 }},
}

// contradiction makes a configuration that breaks exactly one of four rules.
func contradiction(rng *rand.Rand) suite.Item {
	chosen := pick(rng, rules, 4)
	broken := rng.IntN(4)
	var lines, words []string
	for i, r := range chosen {
		a, b := r.a.draw(rng), r.b.draw(rng)
		// The drawn values can satisfy and can break every rule, so this ends.
		for r.holds(a, b) == (i == broken) {
			a, b = r.a.draw(rng), r.b.draw(rng)
		}
		lines = append(lines, fmt.Sprintf("%s: %d", r.a.key, a), fmt.Sprintf("%s: %d", r.b.key, b))
		words = append(words, r.words)
	}
	rng.Shuffle(len(lines), func(i, j int) { lines[i], lines[j] = lines[j], lines[i] })
	return suite.Item{Question: "Exactly one of these rules is broken by service.yaml. Which one?", Options: words,
		Answer: suite.Text(words[broken]),
		Files:  map[string]string{"service.yaml": strings.Join(lines, "\n") + "\n"}, Stratum: "config"}
}
