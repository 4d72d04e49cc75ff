package redact_test

import (
	"encoding/base64"
	"fmt"
	"math/rand/v2"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/socrates-cli/socrates/internal/redact"
)

// form is a class of ways in which a text has a secret, or looks as if it had one.
type form struct {
	class string
	texts []string
}

// maker makes the texts of a corpus. All it makes follows from its seed.
type maker struct{ *rand.Rand }

const (
	lowerText = "abcdefghijklmnopqrstuvwxyz"
	upperText = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
	digitText = "0123456789"
)

// alphabets by the letter that formats have for them.
var alphabets = map[byte]string{
	'A': lowerText + upperText + digitText, 'x': digitText + "abcdef", 'X': digitText + "ABCDEF", 'U': upperText + digitText, 'l': lowerText + digitText,
	'w': lowerText + upperText + digitText + "-_", 'b': lowerText + upperText + digitText + "+/", 'd': digitText, 'L': lowerText + upperText, 'c': lowerText,
}

func (m maker) text(alphabet string, n int) string {
	b := make([]byte, n)
	for i := range b {
		b[i] = alphabet[m.IntN(len(alphabet))]
	}
	return string(b)
}

var blankPart = regexp.MustCompile(`\{([AxXUlwbdLcu])(\d*)\}`)

// fill makes a text of a format: {A20} is 20 letters and digits, {u} a UUID, and so on.
func (m maker) fill(format string) string {
	return blankPart.ReplaceAllStringFunc(format, func(s string) string {
		if s == "{u}" {
			return m.fill("{x8}-{x4}-4{x3}-a{x3}-{x12}")
		}
		n, _ := strconv.Atoi(s[2 : len(s)-1])
		return m.text(alphabets[s[1]], n)
	})
}

// value is what people have for passwords and machines for tokens. plain: it needs no quotes anywhere.
func (m maker) value(plain bool) string {
	formats := []string{"{x32}", "{x40}", "{x64}", "{A20}", "{A24}", "{A32}", "{A40}", "{l32}", "{U32}", "{w43}", "{w27}", "{b40}", "{b43}=", "{b86}==", "{d20}", "{d32}", "{L32}", "{u}", "{l10}-{l10}-{l8}"}
	if plain {
		formats = append(formats, "{A5}-{A6}_{A5}", "{A6}.{A8}~{A7}", "{A4}+{A5}%{A7}")
	} else {
		formats = append(formats, "{A4}!{A5}#{A5}", "{A6}^{A4}*{A6}", "{A8}@{A7}", "{A4}%{A3}?{A6}", "{A7}&{A5}={A3}")
	}
	for {
		// A password has each kind of letter, as its rules ask.
		s := m.fill(formats[m.IntN(len(formats))])
		if len(s) >= 20 || strings.ContainsAny(s, digitText) && strings.ContainsAny(s, lowerText) && strings.ContainsAny(s, upperText) {
			return s
		}
	}
}

var fillerTexts = []string{
	"xxxxxxxxxxxxxxxx", "XXXXXXXXXXXXXXXXXXXX", "your-api-token-here", "YOUR_SECRET", "changeme", "<your-token>", "0000000000000000", "****************", "example-value-123",
	"placeholder", "REPLACE_ME", "EXAMPLEKEY1234567890", "${SECRET}", "insert-value-here", "aaaaaaaaaaaaaaaaaaaaaaaa",
}

// write makes a text of a template, and says what secret it has.
func (m maker) write(template string, names []string) (text, secret string) {
	words := strings.Fields(names[m.IntN(len(names))])
	camel, pascal := "", ""
	for _, w := range words {
		pascal += strings.ToUpper(w[:1]) + w[1:]
	}
	camel = strings.ToLower(pascal[:1]) + pascal[1:]
	secret = m.value(!strings.Contains(template, "{v}"))
	if strings.Contains(template, "{b}") {
		secret = base64.StdEncoding.EncodeToString([]byte("app:" + m.value(false)))
	}
	text = strings.NewReplacer(
		"{N}", strings.ToUpper(strings.Join(words, "_")), "{n}", camel, "{P}", pascal, "{s}", strings.Join(words, "_"), "{k}", strings.Join(words, "-"),
		"{v}", secret, "{w}", secret, "{b}", secret,
		"{h}", m.fill("{x40}"), "{H}", m.fill("{x64}"), "{6}", m.fill("{b43}"), "{8}", m.fill("{x8}"), "{u}", m.fill("{u}"), "{x}", fillerTexts[m.IntN(len(fillerTexts))],
	).Replace(template)
	return text, secret
}

// shows says that a good part of the secret can be read in text.
func shows(text, secret string) bool {
	half := len(secret) / 2
	return strings.Contains(text, secret[:half]) || strings.Contains(text, secret[half:])
}

// part is one half of the corpus.
type part struct {
	name               string
	seed               uint64
	names              []string
	forms, ordinary    []form
	around, aroundCode []string // of tokens that tell by themselves
}

var parts = []part{
	{"tuned", 1, tunedNames, tunedForms, tunedOrdinary,
		[]string{"%s", "the key is %s, keep it", `{"x":"%s"}`, "run(%s)", "X=%s\n"}, []string{`{"a":"%s"}`, "%s"}},
	{"held back", 1000, heldNames, heldForms, heldOrdinary,
		[]string{"https://h.example.com/p?x=%s&y=1", "use `%s` for it", "<a>%s</a>", "k: '%s',", "a\t%s\tb", `\"%s\"`, "[%s]", "-H %s", "err=%s;", `line\n%s\n`},
		[]string{"id:%s:more", "kind: x\nvalue: %s\n", "export A=%s\n", "# %s"}},
}

// tally counts, by class, what there is and what came out wrong.
type tally struct {
	class      string
	all, wrong int
}

func (p *part) secrets(visit func(class, text, secret string)) {
	m := maker{rand.New(rand.NewPCG(p.seed, 7))}
	for _, f := range p.forms {
		for _, template := range f.texts {
			for range 20 {
				text, secret := m.write(template, p.names)
				visit(f.class, text, secret)
			}
		}
	}
	for _, f := range vendorFormats {
		for _, around := range p.around {
			text, secret := token(m, f.format)
			visit("tokens", strings.Replace(around, "%s", text, 1), secret)
		}
		for i, around := range p.aroundCode {
			text, secret := token(m, f.format)
			if text != secret {
				continue // it is told by what precedes it
			}
			e := base64.StdEncoding
			if i%2 == 1 {
				e = base64.URLEncoding
			}
			coded := e.EncodeToString([]byte(strings.Replace(around, "%s", text, 1)))
			visit("tokens in base64", "x: "+coded+"\n", strings.Trim(coded, "="))
		}
	}
}

func (p *part) innocents(visit func(class, text string)) {
	m := maker{rand.New(rand.NewPCG(p.seed, 8))}
	for _, f := range p.ordinary {
		for _, template := range f.texts {
			for range 20 {
				text, _ := m.write(template, p.names)
				visit(f.class, text)
			}
		}
	}
}

// count runs a part of the corpus and returns the classes of secrets and of look-alikes. told hears of each failure.
func (p *part) count(told func(class, text, got string)) (secrets, innocents []*tally) {
	var r redact.Redactor
	add := func(list *[]*tally, class string, wrong bool) {
		if n := len(*list); n == 0 || (*list)[n-1].class != class {
			for i, t := range *list {
				if t.class == class {
					*list = append(append((*list)[:i:i], (*list)[i+1:]...), t)
					break
				}
			}
			if n := len(*list); n == 0 || (*list)[n-1].class != class {
				*list = append(*list, &tally{class: class})
			}
		}
		t := (*list)[len(*list)-1]
		t.all++
		if wrong {
			t.wrong++
		}
	}
	p.secrets(func(class, text, secret string) {
		got := r.String(text)
		seen := shows(got, secret)
		if class == "tokens in base64" {
			seen = got == text
		}
		add(&secrets, class, seen)
		if seen {
			told(class, text, got)
		}
	})
	p.innocents(func(class, text string) {
		got := r.String(text)
		add(&innocents, class, got != text)
		if got != text {
			told(class, text, got)
		}
	})
	return secrets, innocents
}

// rate says what part of the cases came out right.
func rate(list []*tally) (rate float64, table string) {
	all, wrong := 0, 0
	for _, t := range list {
		all, wrong = all+t.all, wrong+t.wrong
		table += fmt.Sprintf("  %-22s %5d %5d wrong  %5.1f %%\n", t.class, t.all, t.wrong, 100-100*float64(t.wrong)/float64(t.all))
	}
	return 1 - float64(wrong)/float64(all), table + fmt.Sprintf("  %-22s %5d %5d wrong  %5.1f %%\n", "all", all, wrong, 100-100*float64(wrong)/float64(all))
}

// TestCorpus holds the rules against both halves. -v prints the table; SOCRATES_CORPUS=1 lists what fails, of the tuned half only.
func TestCorpus(t *testing.T) {
	for _, p := range parts {
		secrets, innocents := p.count(func(class, text, got string) {
			if p.name == "tuned" && os.Getenv("SOCRATES_CORPUS") != "" {
				t.Logf("%s: %q -> %q", class, text, got)
			}
		})
		recall, table := rate(secrets)
		kept, table2 := rate(innocents)
		t.Logf("%s: secrets taken out\n%s%s: look-alikes unchanged\n%s", p.name, table, p.name, table2)
		if recall < 0.98 || kept < 0.95 {
			t.Errorf("%s: %.1f %% of secrets taken out, %.1f %% of look-alikes unchanged; want 98 and 95", p.name, 100*recall, 100*kept)
		}
		for _, c := range append(secrets, innocents...) {
			if c.wrong*10 > c.all {
				t.Errorf("%s: %d of %d are wrong in class %s", p.name, c.wrong, c.all, c.class)
			}
		}
	}
}
