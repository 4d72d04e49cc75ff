package told

import (
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/socrates-cli/socrates/internal/pattern"
)

// The lines that tools used to write about their calls, which older conversations contain.
var (
	ended  = pattern.Of(`^((?s:.*)) (?:ok in|exit (-?[0-9]+) after) [0-9a-zµ.]+$`)
	sent   = pattern.Of(`^((?s:.*)) in the background as (job [0-9]+)$`)
	read   = pattern.Of(`^read (.*):([0-9]+)-([0-9]+)$`)
	wrote  = pattern.Of(`^(edit|write) (.*?)( \(new\))? \+([0-9]+) -([0-9]+)$`)
	counts = pattern.Of(`^(grep|glob|ls|git_log|git_status) ?(.*), ([0-9]+ [a-z]+(?: in [0-9]+ [a-z]+)?)$`)
)

// verbs are what tools did, as people say it.
var verbs = map[string]string{"grep": "Searched for", "glob": "Looked for", "ls": "Listed", "git_log": "Read the log of",
	"git_status": "Looked at", "edit": "Edited", "write": "Wrote"}

// Away is the prefix of the result of a call that continues in the background.
const Away = "in the background"

// Call splits the line of a call into what was done and the result. did is in the past tense; came may be empty. A line
// it does not recognize is returned as it is.
func Call(line string, took time.Duration) (did, came string) {
	match := func(of func() *regexp.Regexp) []string { return of().FindStringSubmatch(line) }
	if m := match(ended); m != nil {
		if came = Took(took); m[2] != "" {
			came = strings.TrimSuffix("exit "+m[2]+" · "+came, " · ")
		}
		return m[1], came
	}
	if m := match(sent); m != nil {
		return strings.TrimSpace(m[1]), Away + " as " + m[2]
	}
	if m := match(read); m != nil {
		from, _ := strconv.Atoi(m[2])
		to, _ := strconv.Atoi(m[3])
		if to < from {
			return "Read " + m[1], ""
		}
		return "Read " + m[1] + map[bool]string{true: ":" + m[2]}[from > 1], Lines(to - from + 1)
	}
	if m := match(wrote); m != nil {
		return verbs[m[1]] + " " + m[2] + m[3], "+" + m[4] + " −" + m[5]
	}
	if m := match(counts); m != nil {
		return strings.TrimSpace(verbs[m[1]] + " " + m[2]), m[3]
	}
	if done, ok := strings.CutPrefix(line, "todo "); ok {
		return "To do", done
	}
	return line, Took(took)
}

// Failed splits the reason a call failed into a few words that fit beside the call, and the text below it. reason is
// the tool's message; took is how long the call ran.
func Failed(reason string, took time.Duration) (came, below string) {
	switch first, _, _ := strings.Cut(reason, "\n"); {
	case Denied(reason): // the answer to the question has the reason
		return "denied by you", ""
	case strings.HasPrefix(first, "stopped by you"):
		return strings.TrimSuffix("stopped by you · "+Took(took), " · "), ""
	default:
		return Took(took), first
	}
}

// Denied reports whether this is the reason of a call that the person denied.
func Denied(reason string) bool { return strings.HasPrefix(reason, "refused: the person said no") }

// Lines counts lines.
func Lines(n int) string {
	if n == 1 {
		return "1 line"
	}
	return strconv.Itoa(n) + " lines"
}

// Took is a duration as people say it; empty if it was too short to notice.
func Took(d time.Duration) string {
	switch {
	case d < 100*time.Millisecond:
		return ""
	case d < 10*time.Second:
		return strconv.FormatFloat(d.Seconds(), 'f', 1, 64) + " s"
	case d < time.Minute:
		return strconv.Itoa(int(d.Seconds())) + " s"
	}
	return strconv.Itoa(int(d.Minutes())) + ":" + strconv.Itoa(int(d.Seconds())%60/10) + strconv.Itoa(int(d.Seconds())%10)
}
