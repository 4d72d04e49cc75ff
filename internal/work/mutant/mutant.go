// Package mutant makes small faults in lines of code to test checks: one that passes with a fault does not check that
// line. It is pure, parses no language and knows the operators of most; a fault that does not compile proves nothing,
// which Broken detects.
package mutant

import (
	"fmt"
	"path"
	"strconv"
	"strings"

	"github.com/socrates-cli/socrates/internal/pattern"
	"github.com/socrates-cli/socrates/internal/tree"
)

// Kind is that of the node of a tried fault.
const Kind tree.Kind[Tried] = "work.mutant"

// Spot is a line of a run's branch to test.
type Spot struct {
	File, Text string
	Line       int
	Checks     [][]string // the checks that should notice, by the plan
}

// Tried is a fault that was put into a line of the branch, to see whether a check notices.
type Tried struct {
	Key    string   `json:"key"` // see Tried.Name
	Head   string   `json:"head"`
	File   string   `json:"file"`
	Line   int      `json:"line"` // at that head
	Was    string   `json:"was"`
	Is     string   `json:"is"`              // empty: the line was removed
	Fate   string   `json:"fate"`            // killed, survived; stillborn: it did not compile
	Check  []string `json:"check,omitempty"` // the one that noticed
	Checks int      `json:"checks"`          // the number that were run
}

// The fates of a mutant.
const (
	Killed    = "killed"
	Survived  = "survived"
	Stillborn = "stillborn"
)

// Change describes the fault in words.
func (m Tried) Change() string {
	if m.Is == "" {
		return "`" + strings.TrimSpace(m.Was) + "` left out"
	}
	return "`" + strings.TrimSpace(m.Was) + "` as `" + strings.TrimSpace(m.Is) + "`"
}

// Name identifies a mutant, and is its key.
func (m Tried) Name() string { return fmt.Sprintf("%s %s:%d %q", m.Head, m.File, m.Line, m.Is) }

// codes are the extensions of files whose lines are changed. Data and texts have no operators.
const codes = " .go .py .js .mjs .cjs .ts .jsx .tsx .java .kt .kts .c .h .cc .cpp .hpp .rs .rb .php .swift .scala .cs .sh .bash " +
	".awk .pl .lua .dart .ex "

// Code reports by its name whether a file is code of a known language.
func Code(name string) bool {
	return strings.Contains(codes, " "+path.Ext(name)+" ")
}

// swap is an operator and its replacement.
type swap struct{ from, to string }

// swaps are the replacements, the most telling first. Spaces around operators exclude arrows, pointers and types.
var swaps = []swap{
	{" <= ", " < "}, {" >= ", " > "}, {" < ", " <= "}, {" > ", " >= "}, {" == ", " != "}, {" != ", " == "}, {" === ", " !== "},
	{" !== ", " === "}, {" && ", " || "}, {" || ", " && "}, {" and ", " or "}, {" or ", " and "}, {" -lt ", " -le "}, {" -le ", " -lt "},
	{" -gt ", " -ge "}, {" -ge ", " -gt "}, {" -eq ", " -ne "}, {" -ne ", " -eq "}, {" + ", " - "}, {" - ", " + "}, {" * ", " + "},
	{" / ", " * "}, {" % ", " * "}, {" += ", " -= "}, {" -= ", " += "}, {"++", "--"}, {"--", "++"}, {"if !", "if "}, {"(!", "("},
	{"true", "false"}, {"false", "true"}, {"True", "False"}, {"False", "True"},
}

var (
	comment = pattern.Of(`^\s*(//|#|\*|/\*|--|")`)
	number  = pattern.Of(`(?:^|[^\w.])(\d{1,9})(?:$|[^\w.])`)
	call    = pattern.Of(`^\s*[\w.\->:]+\(.*\)\s*;?$`)
	sets    = pattern.Of(`^\s*[\w.\[\]]+ ?(?:[+\-*|&]=|=) ?[^=].*[^{(\[,&|+\\]$`)
	// unborn matches errors of compilers and interpreters about invalid programs.
	unborn = pattern.Of(`(?i)build failed|setup failed|syntax ?error|parse ?error|cannot compile|compilation failed|` +
		`error\[E\d+\]|error TS\d+|declared and not used|undefined:|imported and not used`)
)

// Broken reports from a check's output whether it failed because the code was no valid program.
func Broken(output string) bool { return unborn().MatchString(output) }

// Of returns the faults of a line, each as the whole line, the most telling first. A comment has none.
func Of(line string) (lines []string) {
	if strings.TrimSpace(line) == "" || comment().MatchString(line) {
		return nil
	}
	bare := mask(line)
	add := func(at int, from, to string) { lines = append(lines, line[:at]+to+line[at+len(from):]) }
	for _, s := range swaps {
		for from := 0; ; {
			i := strings.Index(bare[from:], s.from)
			if i < 0 {
				break
			}
			if whole(bare, from+i, s.from) {
				add(from+i, s.from, s.to)
			}
			from += i + len(s.from)
		}
	}
	for _, m := range number().FindAllStringSubmatchIndex(bare, -1) {
		n, err := strconv.Atoi(bare[m[2]:m[3]])
		if err == nil {
			add(m[2], bare[m[2]:m[3]], strconv.Itoa(n+1))
		}
	}
	if call().MatchString(line) || sets().MatchString(line) {
		lines = append(lines, "")
	}
	return lines
}

// whole reports whether a word is not part of another one.
func whole(line string, at int, word string) bool {
	letter := func(i int) bool {
		return i >= 0 && i < len(line) && (line[i] == '_' || line[i] >= '0' && line[i] <= '9' || line[i]|0x20 >= 'a' && line[i]|0x20 <= 'z')
	}
	if !letterByte(word[0]) {
		return true
	}
	return !letter(at-1) && !letter(at+len(word))
}

func letterByte(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }

// mask replaces each byte of strings, and of a comment at the end, by a letter.
func mask(line string) string {
	out := []byte(line)
	quote := byte(0)
	for i := 0; i < len(out); i++ {
		c := out[i]
		switch {
		case quote != 0 && c == '\\' && quote != '`' && i+1 < len(out):
			out[i], out[i+1] = 'x', 'x'
			i++
		case quote != 0 && c == quote:
			quote = 0
		case quote != 0:
			out[i] = 'x'
		case c == '"' || c == '`' || c == '\'':
			if strings.IndexByte(line[i+1:], c) >= 0 {
				quote = c
			}
		case c == '/' && i+1 < len(out) && out[i+1] == '/' || c == '#' && i > 0 && out[i-1] == ' ':
			for ; i < len(out); i++ {
				out[i] = 'x'
			}
		}
	}
	return string(out)
}
