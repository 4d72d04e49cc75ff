package out

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// Thousands formats a number of tokens for a table: exact below ten thousand, then in thousands, rounded down.
func Thousands(n int) string {
	if n < 10_000 {
		return strconv.Itoa(n)
	}
	return strconv.Itoa(n/1000) + "k"
}

// Seconds formats a time in seconds with one decimal and the unit.
func Seconds(d time.Duration) string { return strconv.FormatFloat(d.Seconds(), 'f', 1, 64) + " s" }

// OneLine joins all lines and runs of blanks by single blanks.
func OneLine(s string) string { return strings.Join(strings.Fields(s), " ") }

// Hang wraps lines that are too long; continuation lines align with the last column of a row such as " name
// text", or are indented.
func Hang(text string, width int) string {
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		bare := strings.TrimLeft(line, " ")
		indent := len(line) - len(bare)
		begin := string([]rune(line)[:min(utf8.RuneCountInString(line), 40)])
		if at := strings.LastIndex(begin, "  "); at > indent {
			indent = utf8.RuneCountInString(begin[:at]) + 2
		} else if indent > 0 && indent < 20 {
			indent += 4
		}
		lines[i] = Wrap(line, width, strings.Repeat(" ", indent))
	}
	return strings.Join(lines, "\n")
}

// Ago formats how long ago something happened; from a day on, its date. It takes at most 11 letters, which
// lists rely on.
func Ago(t time.Time) string {
	switch d := time.Since(t); {
	case d < time.Minute:
		return "just now"
	case d < time.Hour:
		return fmt.Sprintf("%d min ago", int(d.Minutes()))
	case d < 24*time.Hour:
		return fmt.Sprintf("%d h ago", int(d.Hours()))
	}
	return t.Local().Format("2006-01-02")
}

// Wide counts the columns of letters: those of East Asia and emoji take two. The ranges are those that Unicode
// marks as wide (UAX #11), roughly; combining marks count as one column, so a line may come out narrower than
// computed, never wider.
func Wide(text []rune) int {
	n := len(text)
	for _, r := range text {
		if r >= 0x1100 && (r <= 0x115f || r >= 0x2e80 && r <= 0xa4cf || r >= 0xac00 && r <= 0xd7a3 || r >= 0xf900 && r <= 0xfaff ||
			r >= 0xfe30 && r <= 0xfe6f || r >= 0xff00 && r <= 0xff60 || r >= 0x1f300) {
			n++
		}
	}
	return n
}

// Clip cuts s to n letters. If something was cut, the last letter becomes an ellipsis. Without room the result
// is empty: callers subtract other content from the width of a terminal, and that may come out below one.
func Clip(s string, n int) string {
	r := []rune(s)
	switch {
	case len(r) <= n:
		return s
	case n < 1:
		return ""
	}
	return string(r[:n-1]) + "…"
}

// Matches reports whether text contains all words, in any case.
func Matches(text string, words []string) bool {
	text = strings.ToLower(text)
	for _, w := range words {
		if !strings.Contains(text, strings.ToLower(w)) {
			return false
		}
	}
	return true
}

// Homely writes the home folder in the paths of a text as ~. It is for people only: programs and records get
// full paths.
func Homely(text string) string {
	const sep = string(filepath.Separator)
	if folder, err := os.UserHomeDir(); err == nil && len(folder) > 1 {
		return strings.ReplaceAll(text, folder+sep, "~"+sep)
	}
	return text
}

// Indented formats a value as JSON for people.
func Indented(v any) (string, error) {
	raw, err := json.MarshalIndent(v, "", "  ")
	return string(raw) + "\n", err
}
