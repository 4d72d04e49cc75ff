package puzzle_test

import (
	"encoding/json"
	"math/rand/v2"
	"os/exec"
	"reflect"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/socrates-cli/socrates/internal/eval/puzzle"
	"github.com/socrates-cli/socrates/internal/eval/suite"
)

func made(t *testing.T, kind string, n int, seed uint64) []suite.Item {
	t.Helper()
	k, ok := puzzle.Named(kind)
	if !ok {
		t.Fatalf("there is no kind %s", kind)
	}
	var out []suite.Item
	for it, err := range k.Items(n, seed) {
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, it)
	}
	return out
}

func TestItemsAreValidAndFollowTheirSeed(t *testing.T) {
	for _, k := range puzzle.Generators() {
		long, again, other := made(t, k.Name, 300, 7), made(t, k.Name, 100, 7), made(t, k.Name, 100, 8)
		if !reflect.DeepEqual(long[:100], again) {
			t.Errorf("%s: the first items of a seed depend on how many are made", k.Name)
		}
		if reflect.DeepEqual(again[0].Question+again[0].Files["service.yaml"]+again[0].Files["flow.go"], other[0].Question+other[0].Files["service.yaml"]+other[0].Files["flow.go"]) {
			t.Errorf("%s: two seeds begin with one item", k.Name)
		}
		var lines strings.Builder
		seen, letters := map[string]bool{}, map[string]int{}
		for _, it := range long {
			raw, _ := json.Marshal(it)
			lines.Write(append(raw, '\n'))
			it.ID = ""
			raw, _ = json.Marshal(it)
			if seen[string(raw)] {
				t.Errorf("%s: an item comes twice: %s", k.Name, raw)
			}
			seen[string(raw)] = true
			letters[it.Class(string(it.Truth().Answer))]++
		}
		n := 0
		for _, err := range suite.Read(strings.NewReader(lines.String())) {
			if n++; err != nil {
				t.Errorf("%s: %v", k.Name, err)
			}
		}
		if n != 300 {
			t.Errorf("%s: %d items read back", k.Name, n)
		}
		for letter, n := range letters {
			if len(long[0].Options) > 0 && (n < 45 || n > 105) { // a quarter of 300, four deviations off
				t.Errorf("%s: the truth is %s in %d of 300", k.Name, letter, n)
			}
		}
	}
}

// islandRoles solves a puzzle from its words alone.
func TestKnightsHaveOneSolution(t *testing.T) {
	said := regexp.MustCompile(`(\w+) says: "(.*?)\."`)
	for _, it := range made(t, "knights", 200, 3) {
		var names []string
		for _, m := range regexp.MustCompile(`(\w+) is a `).FindAllStringSubmatch(it.Options[0], -1) {
			names = append(names, m[1])
		}
		spies := strings.Contains(it.Question, "a spy.")
		var fitting []string
		for _, world := range worlds(names, spies) {
			ok := true
			for _, m := range said.FindAllStringSubmatch(it.Question, -1) {
				true_ := holds(t, m[1], m[2], world)
				ok = ok && (world[m[1]] == "spy" || true_ == (world[m[1]] == "knight"))
			}
			if ok {
				var parts []string
				for _, n := range names {
					parts = append(parts, n+" is a "+world[n])
				}
				fitting = append(fitting, strings.Join(parts, ", "))
			}
		}
		if len(fitting) != 1 || fitting[0] != string(it.Answer) {
			t.Fatalf("%s: %q has the solutions %q, the truth is %q", it.ID, it.Question, fitting, it.Answer)
		}
	}
}

func worlds(names []string, spies bool) (out []map[string]string) {
	kinds := []string{"knight", "knave", "spy"}[:map[bool]int{true: 3, false: 2}[spies]]
	total := 1
	for range names {
		total *= len(kinds)
	}
	for code := range total {
		w, used := map[string]string{}, map[string]bool{}
		for _, n := range names {
			w[n] = kinds[code%len(kinds)]
			used[w[n]] = true
			code /= len(kinds)
		}
		if !spies || len(used) == 3 {
			out = append(out, w)
		}
	}
	return out
}

// holds reads a statement as a person would.
func holds(t *testing.T, by, words string, world map[string]string) bool {
	who := func(name string) string {
		if strings.EqualFold(name, "I") {
			return world[by]
		}
		return world[name]
	}
	if m := regexp.MustCompile(`^(\w+) and (\w+) are of the same kind$`).FindStringSubmatch(words); m != nil {
		return who(m[1]) == who(m[2])
	}
	if m := regexp.MustCompile(`^(\w+) is a knight, or (\w+) (?:is|am) a knave$`).FindStringSubmatch(words); m != nil {
		return who(m[1]) == "knight" || who(m[2]) == "knave"
	}
	if m := regexp.MustCompile(`^(\w+) is a (\w+)$`).FindStringSubmatch(words); m != nil {
		return who(m[1]) == m[2]
	}
	m := regexp.MustCompile(`^Exactly (\d) of us are knaves$`).FindStringSubmatch(words)
	if m == nil {
		t.Fatalf("nobody understands %q", words)
	}
	n, k := 0, 0
	for _, is := range world {
		if is == "knave" {
			n++
		}
	}
	k, _ = strconv.Atoi(m[1])
	return n == k
}

// TestArithmeticComesOut computes the chains from their words.
func TestArithmeticComesOut(t *testing.T) {
	step := regexp.MustCompile(`(Start with|Add|Subtract|Multiply by|Divide by|Replace the number by the sum of its digits)(?: (\d+))?\.`)
	for _, it := range made(t, "arithmetic", 200, 5) {
		x := 0
		for _, m := range step.FindAllStringSubmatch(it.Question, -1) {
			by, _ := strconv.Atoi(m[2])
			switch m[1] {
			case "Start with":
				x = by
			case "Add":
				x += by
			case "Subtract":
				x -= by
			case "Multiply by":
				x *= by
			case "Divide by":
				if x%by != 0 {
					t.Fatalf("%s divides %d by %d", it.ID, x, by)
				}
				x /= by
			default:
				sum := 0
				for _, d := range strconv.Itoa(x) {
					sum += int(d - '0')
				}
				x = sum
			}
		}
		if strconv.Itoa(x) != string(it.Check.Answer) {
			t.Errorf("%s comes to %d, not %s: %s", it.ID, x, it.Check.Answer, it.Question)
		}
	}
}

// TestPlantedBugsAreReal runs the Go tool: each program fails its test as it is, and passes once the one function the
// answer names is put right. Every stage is the culprit once.
func TestPlantedBugsAreReal(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	all, wrong := map[string]string{}, map[string]bool{}
	for len(wrong) < 10 {
		p := puzzle.Plant(rng)
		name := string(p.Item.Answer)
		if wrong[name] {
			continue
		}
		wrong[name] = true
		for file := range p.Fixed {
			all["bad"+name+"/"+file], all["good"+name+"/"+file] = p.Item.Files[file], p.Fixed[file]
		}
		bad, good := functions(p.Item.Files["flow.go"]), functions(p.Fixed["flow.go"])
		for f := range good {
			if (good[f] != bad[f]) != (f == name) {
				t.Errorf("the answer is %s, and %s differs: %t", name, f, good[f] != bad[f])
			}
		}
		if len(good) != 5 {
			t.Errorf("it has %d functions", len(good))
		}
	}
	for file := range all {
		if strings.HasSuffix(file, "/go.mod") { // one module for all of them: built at once
			all["go.mod"] = all[file]
			delete(all, file)
		}
	}
	dir := t.TempDir()
	if err := (suite.Item{Files: all}).Lay(dir); err != nil {
		t.Fatal(err)
	}
	c := exec.Command("go", "test", "-vet=off", "./...")
	c.Dir = dir
	out, _ := c.CombinedOutput()
	for name := range wrong {
		if !regexp.MustCompile(`(?m)^FAIL\tflow/bad`+name+`\t\d`).Match(out) || !regexp.MustCompile(`(?m)^ok  \tflow/good`+name+`\t`).Match(out) {
			t.Errorf("%s is not real:\n%s\n%s", name, out, all["bad"+name+"/flow.go"])
		}
	}
}

func functions(code string) map[string]string {
	out := map[string]string{}
	for _, part := range strings.Split(code, "\nfunc ")[1:] {
		name, body, _ := strings.Cut(part, "(")
		body, _, _ = strings.Cut(body, "\n}\n")
		out[name] = body
	}
	return out
}

// TestConfigBreaksOneRule evaluates the rules from their words.
func TestConfigBreaksOneRule(t *testing.T) {
	for _, it := range made(t, "config", 200, 9) {
		values := map[string]int{}
		for line := range strings.Lines(it.Files["service.yaml"]) {
			key, v, _ := strings.Cut(strings.TrimSpace(line), ": ")
			values[key], _ = strconv.Atoi(v)
		}
		for _, rule := range it.Options {
			if broken := !obeyed(t, rule, values); broken != (rule == string(it.Answer)) {
				t.Fatalf("%s: %q broken: %t, the truth is %q\n%s", it.ID, rule, broken, it.Answer, it.Files["service.yaml"])
			}
		}
	}
}

// scale brings a setting to one unit by the end of its name.
func scale(key string, v int) int {
	for end, by := range map[string]int{"_min": 60, "_mb": 1024, "_gb": 1} {
		if strings.HasSuffix(key, end) {
			return v * by
		}
	}
	return v
}

func obeyed(t *testing.T, rule string, values map[string]int) bool {
	keys := regexp.MustCompile(`[a-z]+\.[a-z_]+`).FindAllString(rule, -1)
	a, b := scale(keys[0], values[keys[0]]), scale(keys[1], values[keys[1]])
	switch {
	case strings.Contains(rule, "at least twice"):
		return a >= 2*b
	case strings.Contains(rule, "longer than"), strings.Contains(rule, "larger than"):
		return a > b
	case strings.Contains(rule, "less than half"):
		return a*2 < b
	case strings.Contains(rule, "more than half"):
		return a*2 > b && a <= b
	case strings.Contains(rule, "at least as long"):
		return a >= b
	case strings.Contains(rule, "multiple of"):
		return a%b == 0
	case strings.Contains(rule, "at most 10000"):
		return a*b <= 10000
	case strings.Contains(rule, "shorter than"):
		return a < b
	case strings.Contains(rule, "below 2000"):
		return a*b < 2000
	}
	t.Fatalf("nobody understands %q", rule)
	return false
}
