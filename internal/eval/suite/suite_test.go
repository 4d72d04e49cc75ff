package suite_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/socrates-cli/socrates/internal/eval/suite"
)

// read gives a suite's items and what is wrong with it.
func read(text string) (items []suite.Item, problems []string) {
	for it, err := range suite.Read(strings.NewReader(text)) {
		if err != nil {
			problems = append(problems, err.Error())
			continue
		}
		items = append(items, it)
	}
	return items, problems
}

func TestReadNamesLineAndFault(t *testing.T) {
	long := strings.Repeat("x", 5<<20)
	for _, c := range []struct{ name, text, want string }{
		{"empty", "", "it contains no items"},
		{"blank", "\n  \n", "it contains no items"},
		{"no JSON", "\nhello", "line 2: it is not a JSON object"},
		{"cut", `{"id":"a"`, "line 1: it is not a JSON object: it ends too early"},
		{"two on a line", `{"id":"a","question":"q","answer":"x"} {}`, "line 1: the line has more than one JSON"},
		{"unknown field", `{"id":"a","question":"q","anwser":"x"}`, `line 1: it has a field "anwser"`},
		{"wrong type", `{"id":"a","question":7,"answer":"x"}`, "line 1: its question cannot be a number"},
		{"no id", `{"question":"q","answer":"x"}`, "line 1: it has no id"},
		{"no question", `{"id":"a","answer":"x"}`, "line 1: it has no question"},
		{"no truth", `{"id":"a","question":"q"}`, "line 1: it has no truth"},
		{"two truths", `{"id":"a","question":"q","answer":"x","check":{"kind":"exact","answer":"x"}}`, "line 1: it has both answer and check"},
		{"doubled id", `{"id":"a","question":"q","answer":"x"}` + "\n" + `{"id":"a","question":"r","answer":"x"}`, `line 2: its id "a" is already used on line 1`},
		{"bad regexp", `{"id":"a","question":"q","check":{"kind":"regexp","pattern":"("}}`, "line 1: its pattern is not a regular expression"},
		{"empty regexp", `{"id":"a","question":"q","check":{"kind":"regexp"}}`, "line 1: its pattern is empty"},
		{"kind unknown", `{"id":"a","question":"q","check":{"kind":"vibe"}}`, `line 1: its check is of kind "vibe"`},
		{"kind missing", `{"id":"a","question":"q","check":{}}`, "line 1: its check has no kind"},
		{"stray field", `{"id":"a","question":"q","check":{"kind":"exact","answer":"x","abs":1}}`, "line 1: a check of kind exact has no abs"},
		{"not a number", `{"id":"a","question":"q","check":{"kind":"numeric","answer":"many"}}`, "line 1: its answer \"many\" is not a single number"},
		{"bad tolerance", `{"id":"a","question":"q","check":{"kind":"numeric","answer":1,"abs":-1}}`, "line 1: its tolerance is negative"},
		{"answer no option", `{"id":"a","question":"q","options":["x","y"],"answer":"z"}`, "line 1: its answer \"z\" matches none of its options"},
		{"ambiguous answer", `{"id":"a","question":"q","options":["b","x"],"answer":"b"}`, "the text of one option and the letter of another"},
		{"one option", `{"id":"a","question":"q","options":["x"],"answer":"x"}`, "line 1: it has 1 options"},
		{"same options", `{"id":"a","question":"q","options":["x","X."],"answer":"x"}`, "line 1: its option 2"},
		{"all options right", `{"id":"a","question":"q","options":["ax","ay"],"check":{"kind":"regexp","pattern":"a"}}`, "line 1: 2 of its 2 options are right"},
		{"no option right", `{"id":"a","question":"q","options":["ax","ay"],"check":{"kind":"exact","answer":"b"}}`, "line 1: 0 of its 2 options are right"},
		{"option check, open", `{"id":"a","question":"q","check":{"kind":"option","answer":"b"}}`, "but it has no options"},
		{"no argv", `{"id":"a","question":"q","check":{"kind":"program"}}`, "line 1: its argv must begin"},
		{"path as program", `{"id":"a","question":"q","check":{"kind":"program","argv":["./x"]}}`, "line 1: its argv must begin"},
		{"long time", `{"id":"a","question":"q","check":{"kind":"program","argv":["x"],"seconds":9999}}`, "line 1: its seconds are 9999"},
		{"file outside", `{"id":"a","question":"q","answer":"x","files":{"../x":"y"}}`, "line 1: its file \"../x\""},
		{"absolute file", `{"id":"a","question":"q","answer":"x","files":{"/etc/x":"y"}}`, "line 1: its file"},
		{"file in .git", `{"id":"a","question":"q","answer":"x","files":{"a/.Git/hooks/x":"y"}}`, "is in a .git folder"},
		{"answer file", `{"id":"a","question":"q","answer":"x","files":{"answer.txt":"y"}}`, "not be answer.txt"},
		{"large files", `{"id":"a","question":"q","answer":"x","files":{"f":"` + long[:2<<20] + `"}}`, "line 1: its files have 2097152 bytes"},
		{"long line", `{"id":"a","question":"` + long + `"}` + "\n" + `{"id":"b"}`, "line 1: it is longer than 4 MB"},
	} {
		items, problems := read(c.text)
		if len(problems) == 0 || !strings.Contains(problems[0], c.want) {
			t.Errorf("%s: %.200q, want %q", c.name, problems, c.want)
		}
		if len(items) > 1 {
			t.Errorf("%s: %d items came through", c.name, len(items))
		}
	}
}

func TestReadGoesOnAfterAFault(t *testing.T) {
	items, problems := read("\xef\xbb\xbf" + `{"id":"a","question":"q","answer":1.5}` + "\r\n\r\nnonsense\n" + `{"id":"b","question":"q","answer":"x"}`)
	if len(items) != 2 || items[0].Answer != "1.5" || items[1].ID != "b" || len(problems) != 1 || !strings.HasPrefix(problems[0], "line 3: ") {
		t.Errorf("%+v, %q", items, problems)
	}
}

func TestRight(t *testing.T) {
	exact := suite.Item{Answer: "Saint-Malo"}
	choice := suite.Item{Options: []string{"use a pool", "use one writer", "42"}, Answer: "C"}
	numeric := func(c suite.Check) suite.Item { c.Kind = "numeric"; return suite.Item{Check: &c} }
	for _, c := range []struct {
		it     suite.Item
		answer string
		want   bool
	}{
		{exact, " saint-malo. ", true}, {exact, `"Saint-Malo"`, true}, {exact, "Saint Malo", false}, {exact, "", false}, {exact, "  ", false},
		{suite.Item{Answer: "-5"}, "5", false}, {suite.Item{Answer: "-5"}, "-5.", true},
		{choice, "42.", true}, {choice, "Use one writer", false}, {choice, "c", true}, {choice, "43", false},
		{suite.Item{Options: []string{"use a pool", "use one writer"}, Answer: "B"}, "use one writer!", true},
		{suite.Item{Options: []string{"use a pool", "use one writer"}, Answer: "use one writer"}, "Option b)", true},
		{suite.Item{Options: []string{"use a pool", "use one writer"}, Answer: "B"}, "A", false},
		{suite.Item{Options: []string{"use a pool", "use one writer"}, Answer: "B"}, "Z", false},
		{numeric(suite.Check{Answer: "1234.5"}), "about 1,234.50 m", true}, {numeric(suite.Check{Answer: "1234.5"}), "1234.4", false},
		{numeric(suite.Check{Answer: "100", Abs: .5}), "100.5", true}, {numeric(suite.Check{Answer: "100", Abs: .5}), "100.6", false},
		{numeric(suite.Check{Answer: "100", Rel: .01}), "99", true}, {numeric(suite.Check{Answer: "100", Rel: .01}), "98.9", false},
		{numeric(suite.Check{Answer: "-3"}), "−3", true}, {numeric(suite.Check{Answer: "3"}), "3 or 4", false}, {numeric(suite.Check{Answer: "3"}), "3, I say 3", true},
		{numeric(suite.Check{Answer: "6e23", Rel: .01}), "6.02E23", true}, {numeric(suite.Check{Answer: "3"}), "three", false},
		{suite.Item{Check: &suite.Check{Kind: "regexp", Pattern: `^(?i)tcp/?(443|8443)$`}}, " TCP/443 ", true},
		{suite.Item{Check: &suite.Check{Kind: "regexp", Pattern: `^(?i)tcp/?(443|8443)$`}}, "TCP/80", false},
		{suite.Item{Options: []string{"12", "13"}, Check: &suite.Check{Kind: "numeric", Answer: "13"}}, "13", true},
	} {
		got, err := suite.Judge{}.Right(context.Background(), c.it, c.answer)
		if got != c.want || err != nil {
			t.Errorf("%q to %+v: %t, %v", c.answer, c.it.Truth(), got, err)
		}
	}
}

func TestClassCountsTheSameTogether(t *testing.T) {
	choice := suite.Item{Options: []string{"use a pool", "use one writer"}, Answer: "B"}
	num := suite.Item{Check: &suite.Check{Kind: "numeric", Answer: "1"}}
	for _, c := range []struct {
		it         suite.Item
		one, other string
		same       bool
	}{
		{choice, "b", "Use one writer.", true}, {choice, "a", "b", false},
		{num, "1,000", "1000.0", true}, {num, "1000", "1001", false}, {num, "many", "Many.", true},
		{suite.Item{Answer: "x"}, "Pi  day", "pi day!", true}, {suite.Item{Answer: "x"}, "-5", "5", false},
	} {
		if (c.it.Class(c.one) == c.it.Class(c.other)) != c.same {
			t.Errorf("%q and %q: %q, %q", c.one, c.other, c.it.Class(c.one), c.it.Class(c.other))
		}
	}
}

func TestProgramsJudgeInAFolderOfTheirOwn(t *testing.T) {
	it := suite.Item{Files: map[string]string{"sub/data.txt": "7"}, Check: &suite.Check{Kind: "program", Argv: []string{"check", "it"}, Seconds: 5}}
	if _, err := (suite.Judge{}).Right(context.Background(), it, "42"); err == nil || !strings.Contains(err.Error(), "not allowed") {
		t.Errorf("without leave: %v", err)
	}
	var where string
	broken := errors.New("it took longer than 5s")
	j := suite.Judge{Run: func(_ context.Context, dir string, argv []string, limit time.Duration) (bool, error) {
		where = dir
		answer, _ := os.ReadFile(filepath.Join(dir, suite.AnswerFile))
		data, _ := os.ReadFile(filepath.Join(dir, "sub", "data.txt"))
		if string(data) != "7" || fmt.Sprint(argv) != "[check it]" || limit != 5*time.Second {
			t.Errorf("data %q, argv %q, limit %v", data, argv, limit)
		}
		if string(answer) == "break" {
			return false, broken
		}
		return string(answer) == "42", nil
	}}
	for answer, want := range map[string]bool{"42": true, "43": false} {
		if got, err := j.Right(context.Background(), it, answer); got != want || err != nil {
			t.Errorf("%s: %t, %v", answer, got, err)
		}
		if _, err := os.Stat(where); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("the folder is still there: %v", err)
		}
	}
	if _, err := j.Right(context.Background(), it, "break"); !errors.Is(err, broken) {
		t.Errorf("a program that did not end: %v", err)
	}
}

func TestPickFollowsItsSeed(t *testing.T) {
	ids := func(n int, seed uint64) (out []string) {
		items, err := suite.Pick(suite.Read(io.LimitReader(&lines{n: 500}, 1<<30)), n, seed)
		if err != nil {
			t.Fatal(err)
		}
		for _, it := range items {
			out = append(out, it.ID)
		}
		return out
	}
	a, b, c := ids(50, 1), ids(50, 1), ids(50, 2)
	if fmt.Sprint(a) != fmt.Sprint(b) || fmt.Sprint(a) == fmt.Sprint(c) || len(a) != 50 {
		t.Errorf("%v\n%v\n%v", a, b, c)
	}
	late := 0
	for seed := range uint64(40) {
		for _, id := range ids(10, seed) {
			if id >= "q0000250" {
				late++
			}
		}
	}
	if late < 150 || late > 250 { // half of 400, five deviations off
		t.Errorf("%d of 400 drawn items lie in the second half", late)
	}
	if all := ids(0, 3); len(all) != 500 {
		t.Errorf("0 takes %d of 500", len(all))
	}
	if _, err := suite.Pick(suite.Read(&lines{n: 5}), 6, 1); err == nil {
		t.Error("six of five were drawn")
	}
	if _, err := suite.Pick(suite.Read(strings.NewReader("x")), 1, 1); err == nil {
		t.Error("a bad suite was drawn from")
	}
}

// lines is a suite of n items, made while it is read.
type lines struct {
	n, at int
	rest  []byte
}

func (l *lines) Read(p []byte) (int, error) {
	if len(l.rest) == 0 {
		if l.at == l.n {
			return 0, io.EOF
		}
		l.rest = fmt.Appendf(nil, `{"id":"q%07d","question":"Which of the two is right, and why is the other one wrong?","options":["the first","the second"],"answer":"A","stratum":"s"}`+"\n", l.at)
		l.at++
	}
	n := copy(p, l.rest)
	l.rest = l.rest[n:]
	return n, nil
}

// BenchmarkRead reads suites of different lengths; the time per item must be the same.
func BenchmarkRead(b *testing.B) {
	for _, n := range []int{1_000, 10_000, 100_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			for b.Loop() {
				got := 0
				for _, err := range suite.Read(&lines{n: n}) {
					if err != nil {
						b.Fatal(err)
					}
					got++
				}
				if got != n {
					b.Fatalf("%d items", got)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), "ns/item")
		})
	}
}
