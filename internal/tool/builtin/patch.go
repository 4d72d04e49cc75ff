package builtin

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/socrates-cli/socrates/internal/clean"
	"github.com/socrates-cli/socrates/internal/project/folder"
	"github.com/socrates-cli/socrates/internal/tool"
)

// patchArgs is a patch of one file or more.
type patchArgs struct {
	Patch string `json:"patch" jsonschema:"a unified diff, as git diff writes it; names are relative to the project folder; /dev/null for a file that is made or deleted; rename from and rename to"`
}

// patch is of effect Writes, and one decision about all its files. No file may be in it twice: the result would
// depend on the order.
var _ = register(patching(tool.New("patch",
	"Applies a unified diff to files of the project, which must have been read: all of it or, if "+
		"one part does not fit, nothing. It can make, delete and rename files.", tool.Writes,
	func(ctx context.Context, args patchArgs, env tool.Env) (tool.Output, error) {
		files, err := parsePatch(args.Patch)
		if err != nil {
			return tool.Output{}, err
		}
		f, err := open(env)
		if err != nil {
			return tool.Output{}, err
		}
		defer f.Close()
		var steps []step
		var said []string
		for _, one := range files {
			more, how, err := one.steps(ctx, f, env)
			if err != nil {
				return tool.Output{}, fmt.Errorf("%w; nothing was changed", err)
			}
			steps, said = append(steps, more...), append(said, how)
		}
		for i, s := range steps {
			same := func(other step) bool { return other.Was.Name == s.Was.Name }
			if slices.ContainsFunc(steps[:i], same) {
				return tool.Output{}, fmt.Errorf("%s: it is in the patch twice: put what changes in it into one part; "+
					"nothing was changed", s.Was.Name)
			}
		}
		return apply(ctx, f, env, steps, strings.Join(said, "\n")+"\n", "patch %s", strings.Join(said, ", "))
	})))

// patching makes a tool report which files its patches change.
func patching(t tool.Tool) tool.Tool {
	t.Changes = func(args json.RawMessage) ([]tool.Change, error) {
		var given patchArgs
		if err := json.Unmarshal(args, &given); err != nil {
			return nil, err
		}
		files, err := parsePatch(given.Patch)
		if err != nil {
			return nil, err
		}
		var all []tool.Change
		for _, f := range files {
			var old, now []string
			for _, h := range f.hunks {
				old, now = append(old, h.old), append(now, h.now)
			}
			for _, path := range slices.Compact([]string{f.from, f.to}) {
				if path != "" {
					all = append(all, tool.Change{Path: path, Old: strings.Join(old, ""), New: strings.Join(now, "")})
				}
			}
		}
		return all, nil
	}
	return t
}

// steps returns what p does: which files are written, made or deleted. Nothing is done yet.
func (p *filePatch) steps(ctx context.Context, f *folder.Folder, env tool.Env) (steps []step, how string, err error) {
	if p.from == "" {
		return p.create(f)
	}
	was, err := known(f, env, p.from)
	switch {
	case err != nil:
		return nil, "", err
	case !was.There:
		return nil, "", missing(ctx, f, p.from)
	}
	now, err := p.apply(string(was.Body))
	if err != nil {
		return nil, "", fmt.Errorf("%s: %w", was.Name, err)
	}
	switch {
	case p.to == "" && now != "":
		return nil, "", fmt.Errorf("%s: the patch deletes it but does not take out all its lines", was.Name)
	case p.to == "":
		return []step{remove(was)}, was.Name + ": deleted", nil
	case p.to == p.from:
		return []step{rewrite(was, now)}, fmt.Sprintf("%s: changed, %d hunks", was.Name, len(p.hunks)), nil
	}
	return p.move(f, was, now)
}

// create returns the steps of making a file that must not exist yet.
func (p *filePatch) create(f *folder.Folder) ([]step, string, error) {
	if p.to == "" {
		return nil, "", errors.New("a part of the patch names no file")
	}
	was, err := fresh(f, p.to)
	if err != nil {
		return nil, "", err
	}
	var body strings.Builder
	for _, h := range p.hunks {
		if h.old != "" {
			return nil, "", fmt.Errorf("%s: the patch makes it, so it can only have lines with +", was.Name)
		}
		body.WriteString(h.now)
	}
	s := rewrite(was, body.String())
	if p.exec {
		s.Mode = 0o755
	}
	return []step{s}, was.Name + ": made", nil
}

// move returns the steps of making the file under its new name and deleting it under the old one.
func (p *filePatch) move(f *folder.Folder, was folder.File, now string) ([]step, string, error) {
	to, err := fresh(f, p.to)
	if err != nil {
		return nil, "", err
	}
	gone := remove(was)
	gone.text, gone.lost = fmt.Sprintf("rename from %s\nrename to %s\n", oneLine(was.Name), oneLine(to.Name)), ""
	made := step{Change: folder.Change{Was: to, Now: []byte(now), Mode: was.Mode}}
	if now != string(was.Body) {
		made.text = unified("a/"+was.Name, "b/"+to.Name, string(was.Body), now)
	}
	return []step{gone, made}, fmt.Sprintf("%s: renamed to %s", was.Name, to.Name), nil
}

// remove returns the step that deletes a file.
func remove(was folder.File) step {
	text := unified("a/"+was.Name, "/dev/null", string(was.Body), "")
	return step{Change: folder.Change{Was: was, Gone: true}, text: text, lost: "the file is deleted"}
}

// fresh returns a file that must not exist yet.
func fresh(f *folder.Folder, name string) (folder.File, error) {
	was, err := f.Look(name)
	if err == nil && was.There {
		err = fmt.Errorf("%s: that file already exists", clean.Line(name))
	}
	return was, err
}

// apply applies all hunks. Each is searched as edit searches a text; if it matches more than once, the line it names
// decides.
func (p *filePatch) apply(body string) (string, error) {
	drift := 0 // the shift of the patch's line numbers by earlier hunks
	for i, h := range p.hunks {
		at, t, err := h.fit(body, drift)
		if err != nil {
			return "", fmt.Errorf("hunk %d of %d: %w", i+1, len(p.hunks), err)
		}
		if h.line > 0 {
			drift = 1 + strings.Count(body[:at.from], "\n") - h.line
		}
		drift += strings.Count(h.now, "\n") - strings.Count(h.old, "\n")
		fresh, err := splice(body, body[at.from:at.to], h.old, h.now, t, crlf(body))
		if err != nil {
			return "", fmt.Errorf("hunk %d of %d: %w", i+1, len(p.hunks), err)
		}
		body = body[:at.from] + fresh + body[at.to:]
	}
	return body, nil
}

// fit returns where h matches. It may drop the last newline of both its sides: a file need not end in one.
func (h *hunk) fit(body string, drift int) (region, tolerance, error) {
	if h.old == "" && body != "" {
		return region{}, exact, errors.New("it has no context line: give some of the lines around it")
	}
	if h.old == "" {
		return region{}, exact, nil
	}
	regions, t := find(body, h.old, false, true)
	if len(regions) == 0 && strings.HasSuffix(h.old, "\n") {
		h.old, h.now = strings.TrimSuffix(h.old, "\n"), strings.TrimSuffix(h.now, "\n")
		regions, t = find(body, h.old, false, true)
	}
	if len(regions) == 0 {
		return region{}, t, errors.New("its lines are not in the file; " + nearest(body, h.old))
	}
	for _, p := range regions {
		if h.line > 0 && 1+strings.Count(body[:p.from], "\n") == h.line+drift {
			return p, t, nil
		}
	}
	if len(regions) > 1 {
		return region{}, t, fmt.Errorf("it fits %d times, %s: give more of the lines around it", len(regions), lines(body, regions))
	}
	return regions[0], t, nil
}
