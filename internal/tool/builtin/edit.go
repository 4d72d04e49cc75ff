package builtin

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/socrates-cli/socrates/internal/clean"
	"github.com/socrates-cli/socrates/internal/project/folder"
	"github.com/socrates-cli/socrates/internal/tool"
)

// editArgs is one edit of one file.
type editArgs struct {
	Path string `json:"path" jsonschema:"the file, relative to the project folder; read it first"`
	oneEdit
}

// oneEdit replaces one text by another, in one place or in all.
type oneEdit struct {
	Old string `json:"old" jsonschema:"the text to replace, as read shows it, without line numbers; it must occur exactly once: give as many lines as that takes"`
	New string `json:"new" jsonschema:"the replacement; empty: delete the text"`
	All bool   `json:"all,omitempty" jsonschema:"replace every place where old is found"`
}

// edit is of effect Writes, and asks before it writes. It fails, and changes nothing, if the text is not there, is
// there more than once, or if the file is not as the model last saw it.
var _ = register(tool.New("edit", "Replaces text in a project file.", tool.Writes,
	func(ctx context.Context, args editArgs, env tool.Env) (tool.Output, error) {
		f, err := open(env)
		if err != nil {
			return tool.Output{}, err
		}
		defer f.Close()
		return editFile(ctx, f, env, "edit", args.Path, []oneEdit{args.oneEdit})
	}))

// editFile makes all edits, one after the other, or none.
func editFile(ctx context.Context, f *folder.Folder, env tool.Env, name, path string, edits []oneEdit) (tool.Output, error) {
	was, err := known(f, env, path)
	if err != nil {
		return tool.Output{}, err
	}
	if !was.There {
		return tool.Output{}, missing(ctx, f, path)
	}
	body := string(was.Body)
	var said []string
	for i, e := range edits {
		var how string
		if body, how, err = e.apply(body); err != nil && len(edits) > 1 {
			err = fmt.Errorf("edit %d of %d: %w; nothing was changed", i+1, len(edits), err)
		}
		if err != nil {
			return tool.Output{}, fmt.Errorf("%s: %w", was.Name, err)
		}
		said = append(said, how)
	}
	s := rewrite(was, body)
	added, gone := changed(s.text)
	text := fmt.Sprintf("%s: %s.\n", was.Name, strings.Join(said, "; "))
	return apply(ctx, f, env, []step{s}, text, "%s %s +%d -%d", name, was.Name, added, gone)
}

// missing returns the error that path does not exist, with what does.
func missing(ctx context.Context, f *folder.Folder, path string) error {
	e := &folder.Error{Path: path, Reason: folder.Missing}
	if names, err := f.Files(ctx, "."); err == nil {
		e.Near = folder.Near(path, names)
	}
	return e
}

// apply replaces the text and returns at which lines it did. What old and new share stays as the file has it, and new
// lines get the line ends and indentation of those around them. Places are counted without overlap only if all are
// replaced: of two that overlap, it is unclear which is meant.
func (e oneEdit) apply(body string) (now, how string, err error) {
	switch {
	case e.Old == "":
		return "", "", errors.New("old is empty: give the text to replace, or use write to make a file")
	case e.Old == e.New:
		return "", "", errors.New("old and new are the same: there is nothing to change")
	}
	regions, t := find(body, e.Old, e.All, false)
	switch {
	case len(regions) == 0:
		if meant, as, ok := e.otherwise(body); ok {
			now, how, err = meant.apply(body)
			return now, how + " (old was found " + as + ")", err
		}
		return "", "", errors.New("old is not in the file; " + nearest(body, e.Old))
	case len(regions) > 1 && !e.All:
		return "", "", severalRegions(body, regions)
	case !e.All && t == exact:
		if shown := shown(body); shown != body { // where line ends or invisible letters differ, read shows two texts alike
			if alike := exact.find(shown, e.Old, false, false); len(alike) > 1 {
				return "", "", severalRegions(shown, alike)
			}
		}
	}
	var out strings.Builder
	done, ends := 0, crlf(body)
	for _, p := range regions {
		out.WriteString(body[done:p.from])
		fresh, err := splice(body, body[p.from:p.to], e.Old, e.New, t, ends)
		if err != nil {
			return "", "", err
		}
		out.WriteString(fresh)
		done = p.to
	}
	out.WriteString(body[done:])
	if out.String() == body {
		return "", "", errors.New("the file already has the new text there: nothing would change")
	}
	how = "replaced " + lines(body, regions)
	if t > exact {
		how += " (old was found " + t.String() + ")"
	}
	return out.String(), how, nil
}

// shown returns a text as read shows it.
func shown(body string) string { return clean.Text(strings.ReplaceAll(body, "\r\n", "\n")) }

// severalRegions returns the error of a text that matches more than once, with the line numbers.
func severalRegions(body string, regions []region) error {
	return fmt.Errorf("old occurs %d times, %s: give more of the text around the one you mean, or all=true", len(regions),
		lines(body, regions))
}

// lines says where places are; a long list is cut short.
func lines(body string, regions []region) string {
	word := "at line "
	if len(regions) > 1 {
		word = "at lines "
	}
	line, counted := 1, 0
	var numbers []string
	for i, p := range regions {
		if i == 10 {
			return word + strings.Join(numbers, ", ") + fmt.Sprintf(" and %d more", len(regions)-i)
		}
		line += strings.Count(body[counted:p.from], "\n")
		counted = p.from
		numbers = append(numbers, fmt.Sprint(line))
	}
	return word + strings.Join(numbers, ", ")
}

// splice returns the text that replaces found in body; ends means that the lines of the file end in CRLF. Lines that
// old and new share at their beginning and end are taken from the file and not from new, so that the ignored
// differences are not overwritten.
func splice(body, found, old, now string, t tolerance, ends bool) (_ string, err error) {
	if err := whole(now, body); err != nil {
		return "", err
	}
	there, was := strings.SplitAfter(found, "\n"), strings.SplitAfter(old, "\n")
	fresh := strings.SplitAfter(now, "\n")
	head, tail := 0, 0
	if len(there) == len(was) {
		for head < min(len(was), len(fresh)) && was[head] == fresh[head] {
			head++
		}
		for tail < min(len(was), len(fresh))-head && was[len(was)-1-tail] == fresh[len(fresh)-1-tail] {
			tail++
		}
	}
	middle := strings.Join(fresh[head:len(fresh)-tail], "")
	if t == blanks {
		if middle, err = reindent(was, there, fresh, middle, head == 0,
			strings.SplitAfter(body[:min(len(body), 64<<10)], "\n")); err != nil {
			return "", err
		}
	}
	middle = strings.ReplaceAll(middle, "\r\n", "\n")
	if strings.Contains(found, "\n") && crlf(found) || !strings.Contains(found, "\n") && ends {
		middle = strings.ReplaceAll(middle, "\n", "\r\n")
	}
	return strings.Join(there[:head], "") + middle + strings.Join(there[len(there)-tail:], ""), nil
}
