package cli

import (
	"os"
	"strings"
)

// action says in one line what a program does with a tool of its own in dir.
func action(dir, tool string, args map[string]any) string {
	note := tool
	if note != "" {
		note = strings.ToUpper(note[:1]) + note[1:]
	}
	for _, key := range []string{"file_path", "pattern", "path", "command", "url"} {
		if s, ok := args[key].(string); ok {
			note += " " + within(dir, s)
		}
	}
	return oneLine(note)
}

// within shortens a path below dir.
func within(dir, path string) string {
	if rest, ok := strings.CutPrefix(path, strings.TrimRight(dir, `/\`)+string(os.PathSeparator)); ok && dir != "" {
		return rest
	}
	return path
}
