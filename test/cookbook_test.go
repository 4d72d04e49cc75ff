package test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/socrates-cli/socrates/internal/llm/llmtest"
)

// block is a fenced block of a page: a file the reader saves, or commands with their output.
type block struct {
	line int // of the page, where it begins
	lang string
	file string // the name in the line above it
	text string
}

// recipe is a command of a block and the output shown below it.
type recipe struct{ command, output string }

// varies lists what differs between two runs of the same command.
var varies = []struct {
	pattern *regexp.Regexp
	mask    string
}{
	{regexp.MustCompile(`\b([a-z0-9]+(?:-[a-z0-9]+)+)-[0-9a-z]{4}\b`), "$1-ID"},
	{regexp.MustCompile(`\d{4}-\d\d-\d\d( \d\d:\d\d)?`), "DATE"},
	{regexp.MustCompile(`\b\d+(\.\d+)? ?(ms|s)\b`), "TIME"},
	{regexp.MustCompile(`(just now|\d+ (s|min|h) ago) *`), "AGO "},
	{regexp.MustCompile(`\b[0-9a-f]{12,}\b|\b[0-9a-z]{26}\b`), "HASH"},
	{regexp.MustCompile(`(Added |Changed since )[0-9a-z]{8}\b`), "${1}ID"},
	{regexp.MustCompile(`\b[0-9a-f]{7}\.\.[0-9a-f]{7}\b`), "RANGE"},
	{regexp.MustCompile(`\b\d+ prompts, replies`), "N prompts, replies"}, // two controls that are drawn may read the same
}

// cooked are the pages whose commands all run. The width is that of their lines, where the page promises one.
var cooked = map[string]int{"cookbook.md": 80, "decisions.md": 0, "verify.md": 0, "tree.md": 0, "trust.md": 0, "work.md": 0}

// TestCookbook runs every command of some pages, each page from top to bottom in a new project with an empty home, and compares
// what it prints with the page. A line or the rest of one that the page leaves out is an ellipsis there. With -update, output that
// differs is written to the page.
func TestCookbook(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("the pages show what Linux prints")
	}
	for name, width := range cooked {
		t.Run(name, func(t *testing.T) { cookPage(t, filepath.Join("docs", name), width) })
	}
}

func cookPage(t *testing.T, path string, width int) {
	raw, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	page := string(raw)
	for i, line := range strings.Split(page, "\n") {
		if width > 0 && utf8.RuneCountInString(line) > width {
			t.Errorf("line %d is wider than %d columns", i+1, width)
		}
	}
	dir, env := kitchen(t)
	for _, b := range blocks(page) {
		if b.lang != "console" {
			keep(t, dir, b)
			continue
		}
		shown := recipes(b.text)
		if len(shown) == 0 {
			t.Errorf("line %d: a block without a command", b.line)
		}
		var now strings.Builder
		for i, got := range cook(t, dir, env, shown) {
			want := shown[i]
			if same(want.output, got) {
				got = want.output
			} else if !*update {
				t.Errorf("line %d: $ %s\nprints\n%sthe page says\n%s", b.line, want.command, got, want.output)
			}
			fmt.Fprintf(&now, "$ %s\n%s", want.command, got)
		}
		page = strings.Replace(page, "```console\n"+b.text+"```", "```console\n"+now.String()+"```", 1)
	}
	if *update {
		if err := os.WriteFile(path, []byte(page), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// kitchen is an empty home with a git project, a folder for scripted models beside it, and a model server on this machine.
func kitchen(t *testing.T) (string, []string) {
	s := llmtest.NewServer(func(llmtest.Ask) llmtest.Reply { return llmtest.Reply{Text: "Hello from the local server."} })
	t.Cleanup(s.Close)
	home := t.TempDir()
	dir := filepath.Join(home, "shop")
	for _, d := range []string{dir, filepath.Join(home, "models")} {
		if err := os.MkdirAll(d, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	return dir, []string{"HOME=" + home, "PATH=" + os.Getenv("PATH"), "OLLAMA_BASE_URL=" + s.URL + "/v1", "LMSTUDIO_BASE_URL=http://127.0.0.1:1/v1",
		"GIT_CONFIG_NOSYSTEM=1", "GIT_AUTHOR_NAME=you", "GIT_AUTHOR_EMAIL=you@example.com", "GIT_COMMITTER_NAME=you", "GIT_COMMITTER_EMAIL=you@example.com"}
}

// blocks finds the fenced blocks of a page.
func blocks(page string) []block {
	var all []block
	for _, m := range regexp.MustCompile("(?m)^(?:.*`([^`\n]+)`:\n\n)?```([a-z]*)\n((?s:.*?))^```$").FindAllStringSubmatchIndex(page, -1) {
		part := func(i int) string {
			if m[2*i] < 0 {
				return ""
			}
			return page[m[2*i]:m[2*i+1]]
		}
		all = append(all, block{line: 1 + strings.Count(page[:m[6]], "\n"), file: part(1), lang: part(2), text: part(3)})
	}
	return all
}

// keep writes a block's file where the page says.
func keep(t *testing.T, dir string, b block) {
	if b.file == "" { // shown, and no more
		return
	}
	path := filepath.Join(dir, b.file)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(os.WriteFile(path, []byte(b.text), 0o644), os.Chmod(path, 0o644)); err != nil { // whatever the umask
		t.Fatal(err)
	}
}

// recipes takes a block apart: a line after "$ " is a command, which goes on after a backslash; the rest is output.
func recipes(text string) []recipe {
	var all []recipe
	goesOn := false
	for line := range strings.Lines(text) {
		command, is := strings.CutPrefix(line, "$ ")
		switch {
		case is:
			all = append(all, recipe{command: strings.TrimSuffix(command, "\n")})
		case len(all) == 0:
			continue
		case goesOn:
			all[len(all)-1].command += "\n" + strings.TrimSuffix(line, "\n")
		default:
			all[len(all)-1].output += line
		}
		goesOn = (is || goesOn) && strings.HasSuffix(line, "\\\n")
	}
	return all
}

// cook runs the commands of a block in one shell and returns the output of each, with the folders as a person sees them.
func cook(t *testing.T, dir string, env []string, all []recipe) []string {
	const mark = "=== end of a command\n"
	var script strings.Builder
	for _, r := range all {
		fmt.Fprintf(&script, "%s\ncookbook=$?; echo '%s'; (exit $cookbook)\n", r.command, strings.TrimSpace(mark))
	}
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute) // a loop of the page that waits for a command that failed
	defer cancel()
	c := exec.CommandContext(ctx, "sh", "-c", script.String())
	c.WaitDelay = time.Second
	var out bytes.Buffer
	c.Dir, c.Env, c.Stdout, c.Stderr = dir, env, &out, &out
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	c.Wait() // the page shows the exit codes that matter
	text := strings.ReplaceAll(out.String(), filepath.Dir(dir), "~")
	text = regexp.MustCompile(`(?m)^warning: seat .*\n`).ReplaceAllString(text, "") // where the system has no sandbox, that is said
	parts := strings.Split(text, mark)
	if len(parts) != len(all)+1 {
		t.Fatalf("the commands did not all run: %s", text)
	}
	return parts[:len(all)]
}

// same compares output with the page: an ellipsis on the page is what it leaves out of a line, or a line of its own for any lines.
func same(shown, got string) bool {
	for _, v := range varies {
		shown, got = v.pattern.ReplaceAllString(shown, v.mask), v.pattern.ReplaceAllString(got, v.mask)
	}
	pattern := regexp.QuoteMeta(shown)
	pattern = regexp.MustCompile(`(?m)^…\n`).ReplaceAllLiteralString(pattern, `(?:.*\n)*?`)
	pattern = strings.ReplaceAll(pattern, "…", ".*")
	return regexp.MustCompile(`^` + pattern + `$`).MatchString(got)
}

// TestChatTranscript types what is typed in the transcript of docs/chat.md, to the line that asks for a permission, into a
// chat with the files of the page. Each line of output on the page must come, but for what differs between two runs.
func TestChatTranscript(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("the page shows what Linux prints")
	}
	raw, err := os.ReadFile("docs/chat.md")
	if err != nil {
		t.Fatal(err)
	}
	dir, env := kitchen(t)
	for _, b := range blocks(string(raw)) {
		if b.file != "" {
			keep(t, dir, b)
		}
		before, session, is := strings.Cut(b.text, "$ socrates chat --model script:../demo.yaml\n")
		if !is {
			continue
		}
		session, _, _ = strings.Cut(session, "> clean up\n")
		_, session, _ = strings.Cut(session, "\n>")
		var typed, shown []string
		for line := range strings.Lines(">" + session) {
			if command, is := strings.CutPrefix(line, "> "); is {
				typed = append(typed, command)
			} else if !strings.Contains(line, " tokens in, ") {
				line, _, _ = strings.Cut(regexp.MustCompile(`^[0-9a-z]{5} (\(.*)?|ok in .*`).ReplaceAllString(line, ""), "…")
				shown = append(shown, strings.TrimRight(line, "\n"))
			}
		}
		chat := "printf '%s' '" + strings.Join(typed, "") + "' | socrates chat --model script:../demo.yaml"
		got := strings.Join(cook(t, dir, env, append(recipes(before), recipe{command: chat})), "")
		for _, line := range shown {
			if _, rest, is := strings.Cut(got, line); is {
				got = rest
			} else {
				t.Errorf("the chat does not print %q after what stands above it:\n%s", line, got)
			}
		}
		if len(typed) != 8 {
			t.Errorf("typed %q", typed)
		}
		return
	}
	t.Error("docs/chat.md has no session")
}
