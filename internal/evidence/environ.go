package evidence

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/socrates-cli/socrates/internal/process"
	"github.com/socrates-cli/socrates/internal/process/marked"
)

// environment returns a command's whole environment. home and temp are its own folders.
func environment(path []string, home, temp string) []string {
	env := []string{
		"PATH=" + strings.Join(path, string(filepath.ListSeparator)), "HOME=" + home, "USERPROFILE=" + home,
		"APPDATA=" + home, "LOCALAPPDATA=" + home, "TMPDIR=" + temp, "TEMP=" + temp, "TMP=" + temp,
		"TERM=dumb", "NO_COLOR=1", "GIT_TERMINAL_PROMPT=0",
	}
	return marked.Sandboxed(append(env, process.Environ()...))
}

// searchPath returns PATH without the folders of the project, which could contain its programs.
func searchPath(project string) []string {
	var path []string
	for _, dir := range filepath.SplitList(os.Getenv("PATH")) {
		real, err := filepath.EvalSymlinks(dir)
		if err != nil || !filepath.IsAbs(dir) {
			continue
		}
		if rel, err := filepath.Rel(project, real); err != nil || !filepath.IsLocal(rel) {
			path = append(path, dir)
		}
	}
	return path
}

// locate finds the program of argv in path.
func locate(path, argv []string) (string, error) {
	for _, dir := range path {
		program, err := exec.LookPath(filepath.Join(dir, argv[0]))
		if err != nil {
			continue
		}
		// Windows passes the arguments of a batch file to a shell, which interprets these characters.
		if ext := strings.ToLower(filepath.Ext(program)); ext == ".bat" || ext == ".cmd" {
			if strings.ContainsAny(strings.Join(argv[1:], ""), "\"&|<>^%!()\r\n") {
				return "", fmt.Errorf("%s is a batch file, and an argument contains a character it would interpret", argv[0])
			}
		}
		return program, nil
	}
	return "", fmt.Errorf("%s is not installed", argv[0])
}
