package project

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strconv"
	"strings"

	"github.com/bmatcuk/doublestar/v4"

	"github.com/socrates-cli/socrates/internal/clean"
	"github.com/socrates-cli/socrates/internal/pattern"
	"github.com/socrates-cli/socrates/internal/project/folder"
)

// choice is a file to show. from and to are lines, counted from 1; 0: the beginning, the end.
type choice struct {
	path     string
	from, to int
}

// name is the file's name in the block: with its lines, if lines were requested.
func (c choice) name() string {
	if c.from == 0 {
		return c.path
	}
	return fmt.Sprintf("%s:%d-%d", c.path, c.from, cmp.Or(c.to, c.from))
}

// withLines matches PATH:FROM-TO and PATH:LINE.
var withLines = pattern.Of(`^(.+):(\d{1,9})(?:-(\d{1,9}))?$`)

// choose finds the files that patterns mean, in the order of the patterns, each piece once. Too many are an error that
// names the pattern: a silently shortened list would be taken for complete.
func choose(f *folder.Folder, names, patterns []string, limits Limits) ([]choice, error) {
	var chosen []choice
	seen := map[choice]bool{}
	for _, pattern := range patterns {
		found, err := match(f, names, pattern)
		if err != nil {
			return nil, err
		}
		for _, c := range found {
			if seen[c] {
				continue
			}
			if seen[c] = true; len(seen) > limits.Files {
				return nil, &folder.Error{Path: pattern, Reason: folder.Huge,
					Detail: fmt.Sprintf("more than %d files were named", limits.Files)}
			}
			chosen = append(chosen, c)
		}
	}
	return chosen, nil
}

// match finds what one pattern means: first a file of exactly that name, so that brackets in names do no harm, then
// matches of it as a glob. No match is an error that names the nearest files.
func match(f *folder.Folder, names []string, pattern string) ([]choice, error) {
	want := choice{path: pattern}
	if m := withLines().FindStringSubmatch(pattern); m != nil {
		want.path = m[1]
		want.from, _ = strconv.Atoi(m[2])
		want.to = want.from
		if m[3] != "" {
			want.to, _ = strconv.Atoi(m[3])
		}
		if want.from < 1 || want.to < want.from {
			return nil, &folder.Error{Path: pattern, Reason: folder.Range, Detail: "lines are written from-to, counted from 1"}
		}
	}
	clean, err := f.Inside(want.path)
	if err != nil {
		return nil, err
	}
	_, err = f.Read(clean, 0)
	e, ok := err.(*folder.Error)
	switch {
	case err == nil:
		return []choice{{clean, want.from, want.to}}, nil
	case !ok || e.Reason != folder.Missing:
		return nil, err
	}
	var found []choice
	if doublestar.ValidatePattern(clean) {
		for _, name := range names {
			if fits, _ := doublestar.Match(clean, name); fits {
				found = append(found, choice{name, want.from, want.to})
			}
		}
	}
	if len(found) == 0 {
		return nil, &folder.Error{Path: want.path, Reason: folder.Missing, Near: folder.Near(clean, names)}
	}
	return found, nil
}

// A file with more lines than longFile shows its first and last shownEnds, unless lines were requested.
const (
	longFile  = 500
	shownEnds = 100
)

// show writes the chosen files with line numbers as far as the limits allow, and says where it stops. The limits are
// used up in the order of the files: later files are cut, and say so. A file that can no longer be read ends it.
func show(text *strings.Builder, f *folder.Folder, chosen []choice, limits Limits) ([]FileRef, error) {
	if len(chosen) == 0 {
		return nil, nil
	}
	text.WriteString("\n## Files\n")
	var refs []FileRef
	left := limits.TotalBytes
	for _, c := range chosen {
		body, err := f.Read(c.path, 0)
		if err != nil {
			return nil, err
		}
		lines := folder.Lines(body)
		sum := sha256.Sum256(body)
		ref := FileRef{Path: c.path, Name: c.name(), SHA256: hex.EncodeToString(sum[:])}
		from, to := max(c.from, 1), c.to
		if from > max(len(lines), 1) {
			return nil, &folder.Error{Path: c.path, Reason: folder.Range, Detail: fmt.Sprintf("it has only %d lines", len(lines))}
		}
		if to == 0 || to > len(lines) {
			to = len(lines)
		}
		end := 0 // first line of the shown end of a long file; 0: it is shown in one piece
		if c.from == 0 && to > longFile {
			end, to = to-shownEnds+1, shownEnds
		}
		shown, last := numbered(lines, from, to, min(left, limits.FileBytes))
		left -= len(shown)
		if last >= from {
			ref.From, ref.To = from, last
		}
		ref.Truncated = last < to || end > 0
		refs = append(refs, ref)
		writeFile(text, ref, shown, len(lines), to)
		if end > 0 && last == to {
			left -= writeEnd(text, ref, lines, end, min(left, limits.FileBytes-len(shown)))
		}
	}
	return refs, nil
}

// Shown is one file as a model sees it.
type Shown struct {
	FileRef
	Text string // with line numbers
}

// Show returns the files in dir that a pattern means, with lines if it ends in :from-to. No secret is among them. The
// texts are as in a Block, without its heading. A range of lines beyond the end of the file is an error.
func Show(ctx context.Context, dir, pattern string, limits Limits) ([]Shown, error) {
	limits = limits.withDefaults()
	f, err := folder.Open(dir)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	names, err := f.Files(ctx, ".")
	if err != nil {
		return nil, fmt.Errorf("list the project's files: %w", err)
	}
	chosen, err := choose(f, names, []string{pattern}, limits)
	if err != nil {
		return nil, err
	}
	var out []Shown
	for _, c := range chosen {
		var text strings.Builder
		refs, err := show(&text, f, []choice{c}, limits)
		if err != nil {
			return nil, err
		}
		out = append(out, Shown{refs[0], strings.TrimSpace(strings.TrimPrefix(text.String(), "\n## Files\n"))})
	}
	return out, nil
}

// numbered returns the lines from to to, with numbers, in at most size bytes, and the last one that fitted. A line that
// does not fit is omitted completely: half a line would be quoted as a whole one.
func numbered(lines []string, from, to, size int) (shown string, last int) {
	var b strings.Builder
	last = from - 1
	for i := from; i <= to; i++ {
		row := fmt.Sprintf("%d\t%s\n", i, lines[i-1])
		if b.Len()+len(row) > size {
			break
		}
		b.WriteString(row)
		last = i
	}
	return b.String(), last
}

// writeFile writes what is shown of a file, and says what is not: wanted is the last line that was requested.
func writeFile(text *strings.Builder, ref FileRef, shown string, total, wanted int) {
	fmt.Fprintf(text, "\n### %s\n\n", clean.Line(ref.Path))
	switch {
	case total == 0:
		text.WriteString("The file is empty.\n")
		return
	case ref.To == 0:
		fmt.Fprintf(text, "Left out: the limit is reached. The file has %d lines.\n", total)
		return
	}
	fmt.Fprintf(text, "Lines %d to %d of %d.\n\n", ref.From, ref.To, total)
	fence := fence(shown)
	fmt.Fprintf(text, "%s\n%s%s\n", fence, shown, fence)
	if ref.To < wanted {
		fmt.Fprintf(text, "\nCut off: lines %d to %d are left out, the limit is reached.\n", ref.To+1, wanted)
	}
}

// writeEnd shows the end of a long file after its beginning, in at most size bytes, and says how to see what is between.
func writeEnd(text *strings.Builder, ref FileRef, lines []string, from, size int) int {
	shown, last := numbered(lines, from, len(lines), size)
	fmt.Fprintf(text, "\nLines %d to %d are left out; a range shows them, for example %s:%d-%d.\n", ref.To+1, from-1, clean.Line(ref.Path),
		ref.To+1, min(ref.To+200, from-1))
	if last < from {
		return 0
	}
	fence := fence(shown)
	fmt.Fprintf(text, "\n%s\n%s%s\n", fence, shown, fence)
	return len(shown)
}

// fence is longer than any row of backticks in body, so that body cannot end it.
func fence(body string) string {
	longest, row := 0, 0
	for _, c := range body {
		if c != '`' {
			row = 0
			continue
		}
		row++
		longest = max(longest, row)
	}
	return strings.Repeat("`", max(3, longest+1))
}
