package permission

import (
	"path/filepath"
	"slices"
	"strings"
)

// xargsFiles returns the files that xargs passes to a reader, if the pipe before it only lists names below a folder;
// otherwise ok is false. What xargs adds is then known after all: it is what a search of those folders would read.
func (v analyzer) xargsFiles(reader []string, all []risk) (out []risk, ok bool) {
	if len(v.feed) == 0 || readers[reader[0]] == nil || slices.ContainsFunc(all,
		func(r risk) bool { return r.kind != safe && r.kind != reads }) {
		return nil, false
	}
	for _, filter := range v.feed[1:] {
		if !onlyFilters(filter) {
			return nil, false
		}
	}
	starts := v.listsBelow(v.feed[0])
	var only []string
	if v.feed[0][0] == "find" {
		only = v.named(command{argv: v.feed[0]})
	}
	for _, start := range starts {
		out = append(out, v.readsBelowChosen(start, fileFilter{only: only, hidden: true, followsLinks: true, complete: true,
			plainNames: true})...)
	}
	return out, len(starts) > 0
}

// onlyFilters reports whether a command of a pipe passes lines on unchanged, or drops them.
func onlyFilters(argv []string) bool {
	takes := map[string]string{"head": "nq0123456789", "tail": "nq0123456789", "sort": "ruVnf", "uniq": "", "grep": "viEFw", "egrep": "viw"}
	letters, ok := takes[argv[0]]
	words := 0
	for _, a := range argv[1:] {
		switch {
		case strings.HasPrefix(a, "-"):
			ok = ok && strings.Trim(a[1:], letters) == "" && letters != ""
		default:
			words++
		}
	}
	most := map[string]int{"grep": 1, "egrep": 1, "head": 1, "tail": 1}[argv[0]]
	if (argv[0] == "head" || argv[0] == "tail") && words == 1 && (len(argv) != 3 || argv[1] != "-n") {
		return false
	}
	return ok && words <= most
}

// listsBelow returns the folders below which a command prints names of files, one per line; none: it does something else.
func (v analyzer) listsBelow(argv []string) []string {
	args := argv[1:]
	if slices.ContainsFunc(args, func(a string) bool { return filepath.IsAbs(a) || strings.Contains(a, "..") }) {
		return nil
	}
	has := func(any ...string) bool {
		return slices.ContainsFunc(args, func(a string) bool { return slices.Contains(any, a) })
	}
	only := func(any ...string) bool {
		return !slices.ContainsFunc(args, func(a string) bool { return strings.HasPrefix(a, "-") && !slices.Contains(any, a) })
	}
	switch argv[0] {
	case "find":
		if !only("-name", "-iname", "-type", "-path", "-not", "-print", "-print0", "-maxdepth", "-mindepth", "-size", "-newer", "-o", "-a",
			"-empty", "-mtime", "-mmin", "-regex") {
			return nil
		}
		var starts []string
		for _, a := range args {
			if strings.HasPrefix(a, "-") || a == "(" || a == "!" {
				break
			}
			starts = append(starts, a)
		}
		return starts
	case "git":
		if len(args) > 0 && args[0] == "ls-files" && only("-m", "-o", "-c", "--cached", "--others", "--modified",
			"--exclude-standard", "--") ||
			len(args) > 1 && args[0] == "diff" && has("--name-only") && only("--name-only", "--cached", "--staged", "--") ||
			len(args) > 1 && args[0] == "grep" && has("-l") && only("-l", "-i", "-w", "-E", "-F", "-e", "--") {
			return []string{"."}
		}
	case "rg":
		if has("--files", "-l", "--files-with-matches") && only("--files", "-l", "--files-with-matches", "-i", "-w", "-F", "-g", "-t",
			"--hidden", "-e", "--type", "--glob", "--") {
			return []string{"."}
		}
	case "grep":
		if has("-rl", "-lr", "-ril", "-rli", "-rlE", "-rlF", "-rlw") &&
			only("-rl", "-lr", "-ril", "-rli", "-rlE", "-rlF", "-rlw", "-e", "--") {
			return []string{"."}
		}
	}
	return nil
}
