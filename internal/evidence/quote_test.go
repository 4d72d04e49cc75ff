package evidence_test

import (
	"crypto/sha256"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/socrates-cli/socrates/debate/verdict"
	"github.com/socrates-cli/socrates/internal/evidence"
)

func TestQuotes(t *testing.T) {
	base := t.TempDir()
	dir := filepath.Join(base, "p")
	var long strings.Builder
	for i := 1; i <= 100; i++ {
		fmt.Fprintf(&long, "line number %d\n", i)
	}
	write(t, dir, "long.txt", long.String()+"twice said\n"+strings.Repeat("\n", 20)+"twice said\n")
	write(t, dir, "a.go", "package a\n\n// F locks\tthe   map.\nfunc F() {\n\tmu.Lock()\n\tdefer mu.Unlock()\n}\n")
	write(t, dir, "dos.txt", "first line\r\nsecond line\r\n")
	write(t, dir, "cr.txt", "harmless words\rhidden words\nnext line\n")
	write(t, dir, "esc.txt", "red \x1b[31malert\x1b[0m zero\u200bwidth\n")
	write(t, dir, "wide.txt", strings.Repeat("é word ", 2000)+"the needle here"+strings.Repeat(" word", 2000)+"\n")
	write(t, dir, ".env", "PASSWORD=hunter2\n")
	write(t, dir, "bin", "some\x00binary content\n")
	write(t, dir, "huge.txt", strings.Repeat("x", 17<<20))
	write(t, dir, "empty", "")
	decision := "# Which lock?\n\n> Rehearsal: no model.\n>\n\nStatus: decided · Room: which-lock-ab12 · Date: 2026-03-04 · Strategy: council\n\n- for A: it is fast\n"
	write(t, dir, "docs/decision.md", decision)
	write(t, dir, "docs/adr/0001-which-lock.md", "---\r\nstatus: accepted\r\ndate: 2026-03-04\r\n---\r\n\r\n"+strings.ReplaceAll(decision, "\n", "\r\n"))
	write(t, dir, "README.md", "# Program\n\nIt decides:\n\n"+decision)
	write(t, base, "outside.txt", "outside words\n")
	write(t, base, "p-evil/f.txt", "outside words\n")
	link(t, filepath.Join(base, "outside.txt"), filepath.Join(dir, "out"))
	link(t, ".env", filepath.Join(dir, "innocent.txt"))
	link(t, "a.go", filepath.Join(dir, "alias.go"))

	quote := func(file string, line int, q string) verdict.Evidence {
		return verdict.Evidence{Kind: "quote", File: file, Line: line, Quote: q}
	}
	for _, tc := range []struct {
		name   string
		e      verdict.Evidence
		result string
		line   int
		says   string
	}{
		{"at its line", quote("a.go", 5, "mu.Lock()"), verdict.Pass, 5, "line 5"},
		{"three lines off", quote("a.go", 8, "mu.Lock()"), verdict.Pass, 5, "found at line 5"},
		{"no line", quote("a.go", 0, "mu.Lock()"), verdict.Pass, 5, "line 5"},
		{"far off", quote("long.txt", 12, "line number 90"), verdict.Pass, 90, "line 90, not at line 12"},
		{"the nearest of two", quote("long.txt", 121, "twice said"), verdict.Pass, 122, "line 122"},
		{"the first of two", quote("long.txt", 0, "twice said"), verdict.Pass, 101, "line 101"},
		{"inner blanks", quote("a.go", 3, "  F locks the map. "), verdict.Pass, 3, ""},
		{"several lines", quote("a.go", 4, "func F() {\n    mu.Lock()\n\n\n  defer mu.Unlock()"), verdict.Pass, 4, ""},
		{"several lines with CR", quote("dos.txt", 1, "first line\nsecond line"), verdict.Pass, 1, ""},
		{"CR in the quote", quote("a.go", 4, "func F() {\r\n\tmu.Lock()\r\n"), verdict.Pass, 4, ""},
		{"shortened", quote("a.go", 4, "func F() { mu.Lo…"), verdict.Pass, 4, ""},
		{"as it is shown", quote("esc.txt", 1, "red alert zerowidth"), verdict.Pass, 1, ""},
		{"what a CR would hide", quote("cr.txt", 1, "harmless words hidden words"), verdict.Pass, 1, ""},
		{"after a lone CR", quote("cr.txt", 9, "next line"), verdict.Pass, 2, ""},
		{"absolute", quote(filepath.Join(dir, "a.go"), 5, "mu.Lock()"), verdict.Pass, 5, ""},
		{"through a link inside", quote("alias.go", 5, "mu.Lock()"), verdict.Pass, 5, ""},
		{"far to the right", quote("wide.txt", 1, "the needle here"), verdict.Pass, 1, ""},

		{"not there", quote("a.go", 5, "mu.RLock()"), verdict.Fail, 0, "does not contain it"},
		{"other case", quote("a.go", 5, "MU.LOCK()"), verdict.Fail, 0, "does not contain it"},
		{"lines in another order", quote("a.go", 5, "defer mu.Unlock()\nmu.Lock()"), verdict.Fail, 0, ""},
		{"lines left out", quote("a.go", 4, "func F() {\ndefer mu.Unlock()"), verdict.Fail, 0, ""},
		{"joined words", quote("a.go", 4, "package a//"), verdict.Fail, 0, ""},
		{"empty file", quote("empty", 1, "anything"), verdict.Fail, 0, ""},
		{"no such file", quote("b.go", 1, "mu.Lock()"), verdict.Fail, 0, "no such file"},
		{"no such line", verdict.Evidence{Kind: "quote", File: "a.go", NoLine: true, Quote: "mu.Lock()"}, verdict.Fail, 0, "no such line"},

		{"a decision document", quote("docs/decision.md", 8, "for A: it is fast"), verdict.Skipped, 0, "earlier decision (which-lock-ab12)"},
		{"a numbered decision", quote("docs/adr/0001-which-lock.md", 8, "for A: it is slow"), verdict.Skipped, 0, "earlier decision (which-lock-ab12)"},
		{"a file that cites a decision", quote("README.md", 8, "for A: it is fast"), verdict.Pass, 12, ""},

		{"too short", quote("a.go", 5, "  } \t\n) { x"), verdict.Skipped, 0, "too short"},
		{"empty quote", quote("a.go", 5, ""), verdict.Skipped, 0, "too short"},
		{"endless quote", quote("a.go", 5, strings.Repeat("mu.Lock() ", 5000)), verdict.Skipped, 0, "longer"},
		{"secret", quote(".env", 1, "PASSWORD=hunter2"), verdict.Skipped, 0, "secrets"},
		{"secret by a link", quote("innocent.txt", 1, "PASSWORD=hunter2"), verdict.Skipped, 0, "secrets"},
		{"git's own", quote(".git/config", 1, "anything"), verdict.Skipped, 0, "secrets"},
		{"link out", quote("out", 1, "outside words"), verdict.Skipped, 0, "outside"},
		{"climbing", quote("../outside.txt", 1, "outside words"), verdict.Skipped, 0, "outside"},
		{"neighbour", quote(base+"/p-evil/f.txt", 1, "outside words"), verdict.Skipped, 0, "outside"},
		{"absolute outside", quote("/proc/self/environ", 1, "anything"), verdict.Skipped, 0, ""},
		{"NUL", quote("a.go\x00.txt", 1, "mu.Lock()"), verdict.Skipped, 0, "NUL"},
		{"binary", quote("bin", 1, "binary content"), verdict.Skipped, 0, "binary"},
		{"huge", quote("huge.txt", 1, "xxxxxxxxx"), verdict.Skipped, 0, "larger"},
		{"folder", quote(".", 1, "anything"), verdict.Skipped, 0, "folder"},
		{"no file", quote("", 1, "anything"), verdict.Skipped, 0, "no file"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			grade := verdict.Matched
			if tc.result == verdict.Skipped {
				grade = verdict.Nothing
			}
			o := look(t, &evidence.Looker{Dir: dir}, tc.e)
			expect(t, o, tc.result, grade, tc.says)
			if o.Proof.Line != tc.line {
				t.Errorf("line %d, want %d", o.Proof.Line, tc.line)
			}
			if (tc.result == verdict.Pass) != (o.Lines != "") || tc.result == verdict.Skipped && o.Proof != (verdict.Proof{}) {
				t.Errorf("proof %+v, lines %q", o.Proof, o.Lines)
			}
		})
	}
}

func TestQuoteProof(t *testing.T) {
	dir := t.TempDir()
	body := "one\ntwo\nthree\nfour\nfive\nsix\nseven\x1b[2J\nthe eighth line\nnine\nten\n11\n12\n13\n14\n15\n16\n"
	write(t, dir, "d/f.txt", body)
	o := look(t, &evidence.Looker{Dir: dir}, verdict.Evidence{Kind: "quote", File: "d/../d//f.txt", Line: 8, Quote: "eighth line"})
	want := verdict.Proof{File: "d/f.txt", Line: 8, SHA256: fmt.Sprintf("%x", sha256.Sum256([]byte(body)))}
	lines := "     2\ttwo\n     3\tthree\n     4\tfour\n     5\tfive\n     6\tsix\n     7\tseven\n     8\tthe eighth line\n" +
		"     9\tnine\n    10\tten\n    11\t11\n    12\t12\n    13\t13\n    14\t14\n"
	if o.Proof != want || o.Lines != lines {
		t.Errorf("proof %+v, want %+v; lines\n%s", o.Proof, want, o.Lines)
	}
}

// A verifier is shown the quote, however long the line and however many the lines, and never much more.
func TestExcerptHoldsTheQuote(t *testing.T) {
	dir := t.TempDir()
	rapid.Check(t, func(rt *rapid.T) {
		before := rapid.IntRange(0, 3000).Draw(rt, "before")
		end := rapid.SampledFrom([]string{" ", "\n", "é ", "\t\t"}).Draw(rt, "end")
		write(t, dir, "f", strings.Repeat("word"+end, before)+"the needle here"+strings.Repeat(end+"word", 3000))
		o := look(t, &evidence.Looker{Dir: dir}, verdict.Evidence{Kind: "quote", File: "f", Quote: "the needle here"})
		if o.Result != verdict.Pass || !strings.Contains(o.Lines, "the needle here") || len(o.Lines) > 8<<10 {
			rt.Fatalf("%s, %d bytes: %.500s", o.Result, len(o.Lines), o.Lines)
		}
	})
}

func TestExcerptOfALongQuote(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "f", strings.Repeat("word\n", 5000))
	quote := strings.Repeat("word\n", 3000)
	o := look(t, &evidence.Looker{Dir: dir}, verdict.Evidence{Kind: "quote", File: "f", Quote: quote})
	if n := strings.Count(o.Lines, "\n"); o.Result != verdict.Pass || n != 46 {
		t.Errorf("%s with %d lines, want the first 40 and 6 more", o.Result, n)
	}
}

// Whatever is cut out of a file, and however its blanks are changed, is found where it was.
func TestEveryCutIsFound(t *testing.T) {
	dir := t.TempDir()
	word := rapid.StringMatching(`[a-z(){}é]{1,9}`)
	rapid.Check(t, func(rt *rapid.T) {
		words := rapid.SliceOfN(word, 3, 60).Draw(rt, "words")
		from := rapid.IntRange(0, len(words)-3).Draw(rt, "from")
		to := rapid.IntRange(from+3, len(words)).Draw(rt, "to")
		blank := rapid.SampledFrom([]string{" ", "\n", "\r\n", "\t", "  \n  "})
		join := func(words []string) string {
			var out strings.Builder
			for _, w := range words {
				out.WriteString(w + blank.Draw(rt, "blank"))
			}
			return out.String()
		}
		quote := join(words[from:to]) + "enough"
		write(t, dir, "f", join(words[:from])+join(words[from:to])+"enough of it")
		o := look(t, &evidence.Looker{Dir: dir}, verdict.Evidence{Kind: "quote", File: "f", Quote: quote})
		if o.Result != verdict.Pass {
			rt.Fatalf("%q: %s", quote, o.Detail)
		}
	})
}
