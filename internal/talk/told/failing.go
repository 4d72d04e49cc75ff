package told

import (
	"regexp"
	"slices"
	"strings"

	"github.com/socrates-cli/socrates/internal/pattern"
)

// Failing returns the lines of a failed command's output that say why it failed, in their order, at most so many, and
// how many lines are left out. Lines that the failed program is known to write count most, then lines that look like an error
// in any program, then the end. It guesses, and only about what is shown first: the whole output is a key away.
func Failing(command, said string, most int) (lines []Said, more int) {
	said = strings.TrimRight(said, "\n")
	if text, note, status := Status(said); status != "" { // it is shown beside the command
		said = strings.Trim(text+"\n"+note, "\n")
	}
	if strings.TrimSpace(said) == "" {
		return nil, 0
	}
	all := strings.Split(said, "\n")
	rank := make([]int, len(all))
	known := patternOf(command)
	why := known != nil && slices.ContainsFunc(all, known.MatchString)
	for i, l := range all {
		switch {
		case strings.TrimSpace(l) == "":
		case why && bare().MatchString(l):
			rank[i] = -1
		case known != nil && known.MatchString(l):
			rank[i] = 4
		case place().MatchString(l):
			rank[i] = 3
		case trouble().MatchString(l):
			rank[i] = 2
		}
	}
	for i := range all { // the lines below the place of a failure explain it
		if rank[i] == 0 && i > 0 && rank[i-1] >= 3 && strings.TrimSpace(all[i]) != "" {
			rank[i] = 1
		}
	}
	keep := order(rank, most)
	for _, i := range keep {
		lines = append(lines, Said{Text: all[i], Names: rank[i] >= 2})
	}
	return lines, len(all) - len(keep)
}

// Status splits the output of a failed command, as the tool bash records it: the command's output, the note after the status that may
// explain it, and the status. If the command succeeded, text is all of it and the others are empty.
func Status(said string) (text, note, status string) {
	said = strings.TrimRight(said, "\n")
	at := exited().FindStringSubmatchIndex(said)
	if at == nil {
		return said, "", ""
	}
	return said[:at[0]], strings.TrimSpace(said[at[3]+1:]), said[at[2]:at[3]]
}

// exited matches the end of a failed command's output: a note is one line, in brackets as well.
var exited = pattern.Of(`(?:^|\n)\[exit status (-?\d+)\](?:\n\[[^\n]*\])?$`)

// Said is a line of output; Names means that it names what failed.
type Said struct {
	Text  string
	Names bool
}

// bare matches lines that say no more than the status.
var bare = pattern.Of(`^(FAIL|exit status \d+)$`)

// order returns the indices of the highest ranks and, if there is room, of the last lines, in order; ranks below zero are left out.
func order(rank []int, most int) (keep []int) {
	for i, r := range rank {
		if r >= 0 {
			keep = append(keep, i)
		}
	}
	if len(keep) <= most {
		return keep
	}
	keep = nil
	// Within a rank, earlier lines come first: the first failure causes most of the others.
	for want := 4; want >= 1; want-- {
		for i, r := range rank {
			if r == want && len(keep) < most {
				keep = append(keep, i)
			}
		}
	}
	for i := len(rank) - 1; i >= 0 && len(keep) < min(most, 3); i-- {
		if rank[i] >= 0 && !slices.Contains(keep, i) {
			keep = append(keep, i)
		}
	}
	slices.Sort(keep)
	return keep
}

// place matches a file and line, as most compilers and test programs write it.
var place = pattern.Of(`(^|[\s(\["'])[\w./\\+-]+\.[A-Za-z]\w{0,5}[:(]\d+`)

// trouble matches words for a failure.
var trouble = pattern.Of(`(?i)\b(error|fail(ed|ure|s)?|fatal|panic(ked)?|exception|traceback|undefined|cannot|denied|not found|no such|` +
	`refused|unexpected|expected|abort(ed)?|segmentation fault|assert\w*)\b|^\s*(✗|✕|×|●)`)

// programs are the lines in which known programs say why they fail.
var programs = []struct {
	of   func() *regexp.Regexp
	says func() *regexp.Regexp
}{
	{pattern.Of(`\bgo (test|build|vet|run|install)\b`),
		pattern.Of(`^\s*(--- FAIL|panic:)|^\s+\w+(_test)?\.go:\d+: |\.go:\d+:\d+: |^FAIL\s+\S|DATA RACE|^# \S+$`)},
	{pattern.Of(`\b(pytest|unittest|tox|nox)\b|\bpython3? .*\.py\b`),
		pattern.Of(`^E  |^(FAILED|ERROR) |^\S+\.py:\d+: |^\s+File ".*", line \d+|^\w*(Error|Exception)\b`)},
	{pattern.Of(`\b(npm|pnpm|yarn|bun|node|npx|jest|vitest|mocha)\b`),
		pattern.Of(`^\s*(●|✕|×|FAIL)\s|Expected|Received|^npm ERR!|^\s*at .*:\d+:\d+\)?$|\bError: `)},
	{pattern.Of(`\b(tsc|eslint|biome)\b`),
		pattern.Of(`error TS\d+|^\s+\d+:\d+\s+error\b`)},
	{pattern.Of(`\bcargo\b|\brustc\b`),
		pattern.Of(`^error(\[E\d+\])?:|^\s*--> |panicked at|^test .* FAILED|assertion`)},
	{pattern.Of(`\b(make|ninja|cmake|gcc|g\+\+|clang|cc)\b`),
		pattern.Of(`:\d+(:\d+)?: (fatal )?error:|^make.*\*\*\*|undefined reference`)},
	{pattern.Of(`\b(mvn|gradle|gradlew|javac)\b`),
		pattern.Of(`^\[ERROR\]|: error: |FAILED$|^\s+at .*\.java:\d+\)`)},
	{pattern.Of(`\b(rspec|rake|ruby|bundle)\b`),
		pattern.Of(`^\s+\d+\) |Failure/Error|^rspec \./|\.rb:\d+`)},
	{pattern.Of(`\bgit\b`),
		pattern.Of(`^(fatal|error|hint|CONFLICT)\b| ! \[`)},
}

func patternOf(command string) *regexp.Regexp {
	for _, p := range programs {
		if p.of().MatchString(command) {
			return p.says()
		}
	}
	return nil
}
