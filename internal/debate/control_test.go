package debate

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/socrates-cli/socrates/internal/debate/fact"
)

// TestControls: a control says something true or false about the lines, and its false form differs from the true one by one fact.
func TestControls(t *testing.T) {
	code := "const maxConns = 8 // already\nfunc openPool(limit int) {}\nvar readTimeout = 30"
	prose := "The store must keep one writer connection for all commits.\nReaders share a pool."
	for _, c := range []struct{ claim, quote, lines string }{{"maxConns bounds the pool at 8", "const maxConns = 8", code},
		{"callers of openPool say how many", "func openPool(limit int) {}", code},
		{"one writer connection serves all", "The store must keep one writer connection for all commits.", prose}} {
		seen := map[bool]map[string]bool{true: {}, false: {}}
		for seed := range uint64(200) {
			k, ok := makeControl(c.claim, c.quote, c.lines, rand.New(rand.NewPCG(seed, 1)))
			if !ok {
				t.Fatalf("no control of %q", c.quote)
			}
			seen[k.good][k.text] = true
			again, _ := makeControl(c.claim, c.quote, c.lines, rand.New(rand.NewPCG(seed, 1)))
			if again != k {
				t.Fatalf("the same seed gives %q and %q", k.text, again.text)
			}
		}
		if len(seen[true]) == 0 || len(seen[false]) == 0 {
			t.Errorf("of %q: %d true, %d false", c.quote, len(seen[true]), len(seen[false]))
		}
		for text := range seen[true] {
			if seen[false][text] {
				t.Errorf("%q is both true and false", text)
			}
			if strings.Contains(text, c.quote) {
				t.Errorf("%q quotes the lines letter by letter", text)
			}
		}
	}
	for claim, want := range map[string]string{"maxConns bounds it": "minConns bounds it", "8 are open": " are open", "at most 8 are open": "", "nothing of the lines": "", "it already limits": ""} {
		got := alteredClaim(claim, code, rand.New(rand.NewPCG(1, 1)))
		if !strings.Contains(got, want) || (want == "") != (got == "") || got == claim {
			t.Errorf("%q is altered to %q", claim, got)
		}
	}
	if k, ok := makeControl("", "}", "}\n}", rand.New(rand.NewPCG(1, 1))); ok {
		t.Errorf("a brace gives %q", k.text)
	}
}

// TestParaphrases: a true control says what a quote says in other words, and its false form says the opposite or another value.
func TestParaphrases(t *testing.T) {
	for quote, want := range map[string][2]string{
		"The store must keep one writer connection.":  {"The store must retain one writer connection.", "The store must not retain one writer connection."},
		"Readers must not share a pool with writers":  {"What Readers must not do is share a pool with writers.", "What Readers must do is share a pool with writers."},
		"The limit of requests is 5":                  {"According to these lines the limit of requests is 5.", "According to these lines the limit of requests is not 5."},
		"If the queue is full, the job is put off":    {},
		"Nobody waits there longer than a minute":     {},
		"There is a lock for the whole of it":         {},
		"A store does not need a server of its own":   {"A store does not require a server of its own.", "A store does require a server of its own."},
		"max_conns: 8 # per host":                     {"max_conns 8", "max_conns 9"},
		"if timeout == 30 { return }":                 {},
		"const maxConns int = 8 // already":           {"maxConns 8", "maxConns 9"},
		`  "cache": true,`:                            {"cache true", "cache false"},
		"func open(path string, retries = 3) error {": {"retries 3", "retries 9"},
		"readTimeout := 30":                           {"readTimeout 30", "readTimeout 9"},
		"# retries: 3":                                {},
		"timeout: 30s":                                {},
	} {
		fit := fittingForms(quote, quote, rand.New(rand.NewPCG(1, 1)), assignmentForm, paraphraseForm)
		if want[0] == "" {
			if len(fit) > 0 {
				t.Errorf("%q is said as %q", quote, fit[0](true))
			}
			continue
		}
		if len(fit) != 1 {
			t.Errorf("%q is said in %d ways", quote, len(fit))
			continue
		}
		for i, got := range []string{fit[0](true), fit[0](false)} {
			name, value, pair := strings.Cut(want[i], " ")
			same := got == want[i]
			if pair && !strings.Contains(value, " ") { // a name and its value; a false number is any other
				same = strings.Contains(got, name) && (value == "9" && !strings.Contains(got, "30.") || strings.Contains(got, value+"."))
			}
			if !same {
				t.Errorf("%q is said as %q, want %q", quote, got, want[i])
			}
		}
	}
}

// TestExact: a bound or the number of a step may be true with another number, so no false control is made of it.
func TestExact(t *testing.T) {
	for text, want := range map[string]string{"it holds 5 writers for 30 s": "5 30", "at most 5 writers": "", "More than 2 tests pass": "",
		"step 2: all 7 tests pass": "7", "5 or more, 6+": "", "n >= 10 and m=3": "3", "within 20 ms of line 4": "", "": ""} {
		if got := strings.Join(fact.Exact(text), " "); got != want {
			t.Errorf("%q has %q, want %q", text, got, want)
		}
	}
}

// TestControlsOfRuns: a control of a command is true of its output, or false because a fact of a copy of it is broken.
func TestControlsOfRuns(t *testing.T) {
	lines := "$ go test ./store\nok store 3 readers passed\nstatus 0\n"
	for claim, fact := range map[string]string{"3 readers pass": "3", "reading is safe": "0"} {
		good, bad := 0, 0
		for seed := range uint64(100) {
			k, ok := makeRunControl(claim, lines, rand.New(rand.NewPCG(seed, 1)))
			switch {
			case !ok:
				t.Fatalf("no control of %q", claim)
			case k.good:
				if good++; !strings.Contains(k.text, "status 0") || k.lines != "" {
					t.Errorf("%q beside %q is to be true", k.text, k.lines)
				}
			default:
				if bad++; !strings.Contains(k.text, fact) || slices.Contains(strings.Fields(k.lines), fact) || k.lines == "" {
					t.Errorf("%q beside %q is to be false", k.text, k.lines)
				}
			}
		}
		if good == 0 || bad == 0 {
			t.Errorf("of %q: %d true, %d false", claim, good, bad)
		}
	}
	if k, ok := makeRunControl("it fails", "no status here", rand.New(rand.NewPCG(1, 1))); ok {
		t.Errorf("no output gives %q", k.text)
	}
}

// TestFalseNumbers: a number a false control names is nowhere in the lines.
func TestFalseNumbers(t *testing.T) {
	lines := "port 1 2 3 4 5 6 7 8 9 10 11 12"
	for seed := range uint64(100) {
		f := numberForm("port 1", lines, rand.New(rand.NewPCG(seed, 1)))
		for _, w := range strings.Fields(f(false)) {
			if strings.Trim(w, "0123456789") == "" && strings.Contains(" "+lines+" ", " "+w+" ") {
				t.Fatalf("%q is true", f(false))
			}
		}
	}
}
