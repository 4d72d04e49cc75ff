package permission

import (
	"slices"
	"strings"

	"github.com/socrates-cli/socrates/internal/pattern"
)

// awkUnclear is the risk of a program that is not fully understood.
var awkUnclear = risk{unclear, "", "awk program may run programs or access other files"}

// awk only reads if its program neither runs, writes nor reads anything on its own. Options that load a program from a
// file, or that only one awk has, are not analysed.
func (v analyzer) awk(c command) []risk {
	out := []risk{{kind: safe, why: "only reads"}}
	program := false
	for i := 1; i < len(c.argv); i++ {
		a := c.argv[i]
		switch {
		case !program && (a == "-F" || a == "-v"):
			i++
		case !program && (strings.HasPrefix(a, "-F") || strings.HasPrefix(a, "-v")):
		case !program && a == "--":
		case !program && len(a) > 1 && a[0] == '-':
			return []risk{{unclear, "", "awk " + a + " can run programs or write files"}}
		case !program:
			if program = true; awkOnlyComputes(a) {
				continue
			}
			if !v.policy.Deep || strings.Contains(strings.ReplaceAll(a, "||", ""), "|") {
				return []risk{awkUnclear}
			}
			out = append(out, inlineCode(v, c.argv[0], a)...)
			for _, m := range awkWrites().FindAllStringSubmatch(a, -1) { // the sandbox prevents it; the person sees the attempt
				out = append(out, v.touch(writes, m[1]))
			}
		case !assignsVariable(a):
			out = append(out, v.touch(reads, a))
		}
	}
	return out
}

// awkWrites matches printing to a file with a fixed name that is not below the folder.
var awkWrites = pattern.Of(`>>?\s*"(/[^"\\]*|[^"\\]*\.\.[^"\\]*)"`)

// assignsVariable reports whether awk takes an operand as NAME=value and not as a file.
func assignsVariable(a string) bool {
	name, _, ok := strings.Cut(a, "=")
	return ok && name != "" && strings.Trim(name, awkLetters) == "" && (name[0] < '0' || name[0] > '9')
}

// awkLetters are the characters of awk's words and variable names.
const awkLetters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789"

// awkReaches are the words with which an awk program accesses more than its input.
var awkReaches = []string{"system", "getline", "close", "fflush", "ENVIRON", "ARGV", "ARGC", "SYMTAB", "FUNCTAB", "PROCINFO"}

// awkOnlyComputes reports whether an awk program only computes and prints. A > is a comparison, unless it is in a print
// statement outside parentheses.
//
// It reads the program byte by byte, to distinguish what is in strings and patterns. The difficult character is /,
// which divides or begins a pattern depending on what comes before it. If that is in doubt, or awks differ, the program
// must be harmless under both readings (harmlessEitherWay).
func awkOnlyComputes(program string) bool {
	prints, depth := false, 0 // inside a print statement; number of open parentheses and brackets in it
	word := ""                // the previous word or closing bracket, which tells a division from a pattern
	for i := 0; i < len(program); {
		c := program[i]
		switch {
		case strings.IndexByte(awkLetters, c) >= 0:
			end := i
			for end < len(program) && strings.IndexByte(awkLetters, program[end]) >= 0 {
				end++
			}
			if word = program[i:end]; slices.Contains(awkReaches, word) {
				return false
			}
			if word == "print" || word == "printf" {
				prints, depth = true, 0
			}
			i = end
			continue
		case c == '/' && !isDivision(word) && !beginsPattern(word): // its meaning depends on the context and on the awk
			if !harmlessEitherWay(program) {
				return false
			}
		case c == '"' || c == '/' && beginsPattern(word):
			end := quoteEnd(program, i)
			if end < 0 {
				return false
			}
			i, word = end, ")"
			continue
		case c == '#' || c == '@' || c == '`' || c == '\\' || c == '|' && !strings.HasPrefix(program[i:], "||"):
			return false
		case c == '|':
			i++
		case c == '>' && prints && depth <= 0:
			return false
		case c == '(' || c == '[':
			depth++
		case c == ')' || c == ']':
			depth--
		case c == '\n' && prints && !endsStatement(word): // the statement continues
			i++
			continue
		case c == ';' || c == '\n' || c == '}' || c == '{':
			prints = false
		}
		if i++; c != ' ' && c != '\t' {
			word = string(c)
		}
	}
	return true
}

// endsStatement reports whether a statement may end after this.
func endsStatement(before string) bool {
	return before == ")" || before == "]" || before != "" && strings.Trim(before, awkLetters) == ""
}

// isDivision reports whether a / after this can only be a division.
func isDivision(before string) bool {
	return before == "]" || before != "" && strings.Trim(before, awkLetters) == "" && !slices.Contains(awkWords, before)
}

// beginsPattern reports whether a / after this can only begin a pattern.
func beginsPattern(before string) bool {
	return before == "" || strings.Contains("(,{};\n!~&|=<>?:*%^", before) ||
		slices.Contains([]string{"return", "print", "printf", "in", "case", "else", "do"}, before)
}

// awkWords are words of the language after which a / may begin a pattern.
var awkWords = []string{"BEGIN", "END", "break", "case", "continue", "default", "delete", "do", "else", "exit", "for", "func", "function",
	"if", "in", "length", "next", "nextfile",
	"print", "printf", "return", "switch", "while"}

// harmlessEitherWay reports whether a program only computes and prints wherever its strings and patterns begin and end.
func harmlessEitherWay(program string) bool {
	words := strings.FieldsFunc(program, func(r rune) bool { return !strings.ContainsRune(awkLetters, r) })
	return !strings.ContainsAny(program, "|>@`\\#") && !slices.ContainsFunc(words,
		func(w string) bool { return slices.Contains(awkReaches, w) })
}

// quoteEnd is the end of the string or pattern that begins at start; negative: there is none, or awks may differ about it.
func quoteEnd(s string, start int) int {
	for i := start + 1; i < len(s); i++ {
		switch {
		case s[i] == '\\':
			i++
		case s[i] == '\n':
			return -1
		case s[i] == '[' && s[start] == '/' && strings.Contains(s[i:], "]"):
			end := i + 1 + strings.IndexByte(s[i+1:], ']')
			if end <= i || strings.ContainsAny(s[i:end], `/"`) {
				return -1
			}
		case s[i] == s[start]:
			return i + 1
		}
	}
	return -1
}
