package builtin

import (
	"fmt"
	"slices"
	"strings"

	"github.com/socrates-cli/socrates/internal/pattern"
)

// omissionWords are the words of a line that stands for lines left out; such a line has no others.
var omissionWords = set(`a above and are as before below block body brevity changed changes class classes code component components content contents continues
	else everything existing field fields file follows for from function functions goes handlers here implementation implementations imports in is it its keep
	kept left line lines logic method methods no not of omitted original other out previous previously remain remainder remaining remains rest same section snip
	snipped stay stays test tests text that the this to truncated unchanged unmodified untouched was with`)

// omissionKeys are those of them that say that something is left out, beside an ellipsis; omissionSure say so alone in a comment.
var (
	omissionKeys = set(`existing omitted original previous previously remain remainder remaining remains rest same snip snipped truncated unchanged unmodified untouched`)
	omissionSure = pattern.Of(`^(unchanged|unmodified|untouched|snip|snipped|omitted|truncated)$|\b(omitted|truncated) for brevity\b|` +
		`\b(rest|remainder|everything else|(remaining|existing|other|previous|original) [a-z]+)\b.*\b(unchanged|unmodified|untouched|omitted|same|here|as before|as is)\b`)
)

// spread is a name spread over the place it stands in, as JavaScript writes it.
var spread = pattern.Of(`\.\.\.[\pL_$]`)

// comments are how a comment may begin; what is around the words of one is cut off anyway.
var comments = []string{"//", "#", "/*", "*", "<!--", "--", ";", "%", "{/*", "(*", `"""`, "'''", "rem "}

func set(words string) map[string]bool {
	out := map[string]bool{}
	for _, w := range strings.Fields(words) {
		out[w] = true
	}
	return out
}

// remarks says whether a line is, or begins like, a comment.
func remarks(line string) bool {
	line = strings.ToLower(strings.TrimSpace(line))
	return slices.ContainsFunc(comments, func(begin string) bool { return strings.HasPrefix(line, begin) })
}

// omits says whether a line stands for others that were left out, as in "// ... existing code ...". An ellipsis that is code
// or prose has other words beside it, or none; a comment without one may be the end of the line before.
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
	words := strings.FieldsFunc(bare, func(r rune) bool { return strings.ContainsRune(" \t,;:()'’-", r) })
	if !comment && len(words) == 1 && spread().MatchString(line) {
		return false
	}
	key := false
	for _, w := range words {
		if !omissionWords[w] {
			return false
		}
		key = key || omissionKeys[w]
	}
	return ellipsis && key || comment && !remarks(before) && omissionSure().MatchString(strings.Join(words, " "))
}

// whole refuses a text with a line that stands for lines left out, unless the file has that line already: what it stands
// for would be deleted.
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
			return fmt.Errorf("line %d of the new text, %q, stands for text that is left out, and that text would be lost: write all of it, or edit only the lines that change", n, line)
		}
	}
	return nil
}
