package builtin

import (
	"fmt"
	"slices"
	"strings"

	"github.com/socrates-cli/socrates/internal/pattern"
)

// omissionWords are the words of a line that stands for omitted lines; such a line has no others.
var omissionWords = set(`a above and are as before below block body brevity changed changes class classes code component
	components content contents continues else everything existing field fields file follows for from
	function functions goes handlers here implementation implementations imports in is it its keep kept
	left line lines logic method methods no not of omitted original other out previous previously remain
	remainder remaining remains rest same section snip snipped stay stays test tests text that the this
	to truncated unchanged unmodified untouched was with insert leave paste preserve retain your`)

// omissionKeys are the words among them that signal an omission next to an ellipsis; omissionSure matches what
// signals it alone in a comment.
var (
	omissionKeys = set(`existing omitted original previous previously remain remainder remaining remains rest same snip snipped ` +
		`truncated unchanged unmodified untouched`)
	omissionSure = pattern.Of(`^(unchanged|unmodified|untouched|snip|snipped|omitted|truncated)$|\b(omitted|truncated) for ` +
		`brevity\b|\bunchanged [a-z]+ (omitted|snipped|truncated)\b|` +
		`\b(rest|remainder|everything else|(remaining|existing|other|previous|original) ` +
		`[a-z]+)\b.*\b(unchanged|unmodified|untouched|omitted|same|here|as before|as is)\b`)
)

// stageCode is what a comment asks to keep, and stageWords what one with a label asks to keep; stageKeys say that it
// is not new.
var (
	stageCode  = set(`code functions implementation implementations imports logic methods`)
	stageWords = set(`body code content contents fields file functions implementation implementations imports lines logic methods`)
	stageKeys  = set(`existing remainder remaining rest unchanged unmodified`)
	stageVerbs = set(`keep leave preserve retain`)
	stageLabel = set(`fixme hack note todo xxx`)
	// stageSure matches what a comment in brackets, or between rules, says about omitted lines.
	stageSure = pattern.Of(`\b(unchanged|unmodified|untouched|omitted|snip|snipped|truncated|same as (before|above|previously)|as ` +
		`before|rest of|remainder of|existing (code|implementation|logic|contents?|imports))\b`)
	// framed matches a comment whose words are in brackets, or between rules: # [rest of code], -- same as before --.
	framed = pattern.Of(`^(//|#|--|;|%|/\*|\{/\*|<!--)\s*(\[.*\]|\(.*\)|<.*>|\{.*\}|-.*[-=~*]{2}|=.*={2}|` +
		`~.*~{2}|\*.*\*{2}|[a-z].*[-=~*]{2})\s*(\*/\}?|-->)?$`)
)

// spread matches JavaScript's spread of a name.
var spread = pattern.Of(`\.\.\.[\pL_$]`)

// comments are how a comment may begin; what surrounds its words is cut off anyway.
var comments = []string{"//", "#", "/*", "*", "<!--", "--", ";", "%", "{/*", "(*", `"""`, "'''", "rem "}

// set returns the words in a text as a set.
func set(words string) map[string]bool {
	out := map[string]bool{}
	for _, w := range strings.Fields(words) {
		out[w] = true
	}
	return out
}

// remarks reports whether a line is, or begins like, a comment.
func remarks(line string) bool {
	line = strings.ToLower(strings.TrimSpace(line))
	return slices.ContainsFunc(comments, func(begin string) bool { return strings.HasPrefix(line, begin) })
}

// omits reports whether a line stands for omitted lines, as in "// ... existing code ...". An ellipsis that is code
// or prose has other words beside it, or none; a comment without one may be the end of the line before.
//
// It compares words, and a line may have only omissionWords. A false alarm costs the model one more attempt, a miss
// costs the person their code; the lists were made from what models have written.
func omits(line, before string) bool {
	line = strings.ToLower(strings.TrimSpace(line))
	comment := remarks(line)
	bare := strings.ReplaceAll(line, "...", "…")
	ellipsis := strings.Contains(bare, "…")
	if !ellipsis && !comment {
		return false
	}
	bare = strings.TrimPrefix(bare, "rem ")
	bare = strings.Trim(bare, " \t…./#*<>!-;%{}()[]\"'`,:")
	if comment {
		bare = strings.Trim(bare, " \t=~")
	}
	words := strings.FieldsFunc(bare, func(r rune) bool { return strings.ContainsRune(" \t,;:()'’-", r) })
	if !comment && len(words) == 1 && spread().MatchString(line) {
		return false
	}
	labelled := comment && len(words) > 1 && stageLabel[words[0]]
	if labelled {
		words = words[1:]
	}
	key, counts := false, counted().MatchString(bare)
	for _, w := range words {
		more := counts && w == "more"
		if !omissionWords[w] && !more && !(counts && strings.Trim(w, "0123456789") == "") {
			return false
		}
		key = key || omissionKeys[w] || more
	}
	switch said := strings.Join(words, " "); {
	case ellipsis && key:
		return true
	case !comment || remarks(before) || len(words) == 0:
		return false
	case labelled:
		return keeps(words, stageWords) || key && len(words) > 1 &&
			slices.ContainsFunc(words, func(w string) bool { return w == "code" || w == "file" || w == "lines" })
	default:
		return omissionSure().MatchString(said) || keeps(words, stageCode) || leads().MatchString(strings.ReplaceAll(line, "...", "…")) ||
			framed().MatchString(line) && stageSure().MatchString(said)
	}
}

// counted matches a number of lines: "20 lines omitted", "12 more lines".
var counted = pattern.Of(`\b\d+ ([a-z]+ )?lines?\b`)

// leads matches a comment that begins with an ellipsis.
var leads = pattern.Of(`^(//|#|--|;|%|/\*|\{/\*|<!--)\s*…`)

// keeps reports whether words ask to keep code that is not written out.
func keeps(words []string, what map[string]bool) bool {
	has := func(in map[string]bool) bool { return slices.ContainsFunc(words, func(w string) bool { return in[w] }) }
	return stageVerbs[words[0]] && has(stageKeys) && has(what)
}

// whole refuses a text with a line that stands for omitted lines, unless the file already has that line: the omitted
// code would be deleted.
func whole(text, file string) error {
	if !strings.ContainsAny(text, ".…#*/-;%") {
		return nil
	}
	n, before := 0, ""
	for line := range strings.Lines(text) {
		n++
		stands := omits(line, before)
		if before = line; !stands {
			continue
		}
		line = strings.TrimSpace(line)
		for have := range strings.Lines(file) {
			if strings.TrimSpace(have) == line {
				line = ""
				break
			}
		}
		if line != "" {
			return fmt.Errorf("line %d of the new text, %q, stands for text that is left out, and that text would be lost: write all of "+
				"it, or edit only the lines that change", n, line)
		}
	}
	return nil
}
