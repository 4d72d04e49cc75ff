// Package mutant makes small faults of lines of code, so that checks can be tried: one that passes with a fault does not look at that line.
// It is pure, reads no language whole and knows the operators of most; what does not compile tells nothing, which Broken sees.
package mutant

import (
	"fmt"
	"path"
	"strconv"
	"strings"

	"github.com/socrates-cli/socrates/internal/pattern"
	"github.com/socrates-cli/socrates/internal/tree"
)

// Kind is that of the node of a fault that was tried.
const Kind tree.Kind[Tried] = "work.mutant"

// Spot is a line of a run's branch that is to be tried.
type Spot struct {
	File, Text string
	Line       int
	Checks     [][]string // that must notice, by the plan
}

// Tried is a fault that was put into a line of the branch, to see whether a check notices.
type Tried struct {
	Key    string   `json:"key"` // see Tried.Name
	Head   string   `json:"head"`
	File   string   `json:"file"`
	Line   int      `json:"line"` // at that head
	Was    string   `json:"was"`
	Is     string   `json:"is"`              // empty: the line was taken out
	Fate   string   `json:"fate"`            // killed, survived; stillborn: it was no program
	Check  []string `json:"check,omitempty"` // that noticed
	Checks int      `json:"checks"`          // so many were run
}

// The fates of a mutant.
const (
	Killed    = "killed"
	Survived  = "survived"
	Stillborn = "stillborn"
)

// Change is what was tried, in words.
func (m Tried) Change() string {
	if m.Is == "" {
		return "`" + strings.TrimSpace(m.Was) + "` left out"
	}
	return "`" + strings.TrimSpace(m.Was) + "` as `" + strings.TrimSpace(m.Is) + "`"
}

// Name is what tells a mutant from all others, and its key.
func (m Tried) Name() string { return fmt.Sprintf("%s %s:%d %q", m.Head, m.File, m.Line, m.Is) }

// codes are the endings of files whose lines are changed. Data and texts have no operators.
const codes = " .go .py .js .mjs .cjs .ts .jsx .tsx .java .kt .kts .c .h .cc .cpp .hpp .rs .rb .php .swift .scala .cs .sh .bash " +
	".awk .pl .lua .dart .ex "

// Code says by its name whether a file is code of a language that is known well enough.
func Code(name string) bool {
	return strings.Contains(codes, " "+path.Ext(name)+" ")
}

// swap is an operator and what it becomes.
type swap struct{ from, to string }

// swaps are those tried, those that tell most first. Spaces around keep arrows, pointers and types out.
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
	// unborn is what compilers and interpreters say of a text that is no program.
	unborn = pattern.Of(`(?i)build failed|setup failed|syntax ?error|parse ?error|cannot compile|compilation failed|` +
		`error\[E\d+\]|error TS\d+|declared and not used|undefined:|imported and not used`)
)

// Broken says by what a check printed whether it failed because the text was no program any more.
func Broken(output string) bool { return unborn().MatchString(output) }

// Of are the faults of a line, the whole line each, those first that tell most. A line in a comment has none.
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

// whole says whether a word is not a part of another one.
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

// mask puts a letter in the place of each byte of strings, and of a comment at the end.
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
