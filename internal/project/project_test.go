package project_test

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/socrates-cli/socrates/internal/project"
	"github.com/socrates-cli/socrates/internal/project/folder"
)

var update = flag.Bool("update", false, "rewrite the golden file")

func write(t testing.TB, dir, name, body string) {
	t.Helper()
	full := filepath.Join(dir, name)
	if err := os.MkdirAll(filepath.Dir(full), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(full, []byte(body), 0o644); err != nil {
		t.Fatal(err)
	}
}

func run(t testing.TB, dir string, args ...string) {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("no git here")
	}
	cmd := exec.Command("git", args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL="+os.DevNull,
		"GIT_AUTHOR_NAME=Jane Doe", "GIT_AUTHOR_EMAIL=jane@corp.io", "GIT_COMMITTER_NAME=Jane Doe", "GIT_COMMITTER_EMAIL=jane@corp.io",
		"GIT_AUTHOR_DATE=2024-02-03T04:05:06Z", "GIT_COMMITTER_DATE=2024-02-03T04:05:06Z")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("git %v: %v\n%s", args, err, out)
	}
}

// example is a project with something for every section.
func example(t testing.TB) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "example")
	for name, body := range map[string]string{
		"go.mod": "module example.org/x\n\ngo 1.26\n\nrequire (\n\texample.org/a v1.2.3\n\texample.org/b v0.1.0 // indirect\n)\n\nrequire example.org/c v2.0.0\n",
		"web/package.json": `{"name":"web","version":"1.0.0","engines":{"node":">=22"},"dependencies":{"react":"^19.0.0"},
			"devDependencies":{"vite":"7.1.0"},"files":3}`,
		"core/Cargo.toml":   "[package]\nname = \"core\"\nedition = \"2024\"\n\n[dependencies]\nserde = { version = \"1.0\", features = [\"derive\"] }\nrand = \"0.9\"\n",
		"ml/pyproject.toml": "[project]\nname = \"ml\"\nrequires-python = \">=3.12\"\ndependencies = [\n  \"numpy>=2\", # arrays\n  \"httpx[http2]==0.28\",\n]\n",
		"java/pom.xml": "<project><groupId>org.example</groupId><artifactId>j</artifactId><version>1</version><properties><java.version>21</java.version></properties>" +
			"<dependencies><dependency><groupId>g</groupId><artifactId>a</artifactId><version>2</version></dependency></dependencies></project>",
		"AGENTS.md": "# Rules\n\nUse tabs.\x1b[31m\n\nNever panic.\nfourth\n", "README.md": "# Example\n", ".editorconfig": "root = true\n",
		"main.go": "package main\n\nfunc main() {\n\t// ``` a fence\n}\n", "internal/a/a.go": "package a\n", "internal/b/b.go": "package b\n",
		".env": "KEY=1\n", ".gitignore": "out\n", "out/x": "x",
	} {
		write(t, dir, name, body)
	}
	run(t, dir, "init", "-q", "-b", "main")
	run(t, dir, "add", ".")
	run(t, dir, "commit", "-qm", "first: everything")
	return dir
}

func TestDescribeIsStable(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("git may change line ends here, and with them the hash")
	}
	dir := example(t)
	named := []string{"main.go", "internal/**/*.go", "go.mod:3-5", "AGENTS.md:3"}
	block, err := project.Describe(t.Context(), dir, named, project.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	golden := filepath.Join("testdata", "block.md")
	if *update {
		if err := os.WriteFile(golden, []byte(block.Text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil || block.Text != string(want) {
		t.Errorf("the block is not %s (%v):\n%s", golden, err, block.Text)
	}
	sum := sha256.Sum256([]byte(block.Text))
	if block.SHA256 != hex.EncodeToString(sum[:]) {
		t.Errorf("SHA256 = %s", block.SHA256)
	}
	again, err := project.Describe(t.Context(), dir, named, project.Limits{})
	if err != nil || again.Text != block.Text {
		t.Errorf("a second block differs (%v)", err)
	}
	if strings.Contains(block.Text, "Jane") || strings.Contains(block.Text, "corp.io") || strings.Contains(block.Text, "\x1b") {
		t.Error("the block names a person or has an escape")
	}
	if len(block.Files) != 5 || block.Files[3].Path != "go.mod" || block.Files[3].From != 3 || block.Files[3].To != 5 || block.Files[3].Truncated {
		t.Errorf("Files = %+v", block.Files)
	}
}

func TestDescribeSaysWhatItLeavesOut(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "a.txt", strings.Repeat("0123456789\n", 100))
	write(t, dir, "b.txt", strings.Repeat("0123456789\n", 100))
	write(t, dir, "c.txt", "")
	block, err := project.Describe(t.Context(), dir, []string{"*.txt"}, project.Limits{FileBytes: 500, TotalBytes: 500})
	if err != nil {
		t.Fatal(err)
	}
	a, b := block.Files[0], block.Files[1]
	if a.From != 1 || a.To < 30 || a.To > 50 || !a.Truncated || b.From != 0 || b.To != 0 || !b.Truncated || block.Files[2].Truncated {
		t.Errorf("Files = %+v", block.Files)
	}
	for _, want := range []string{fmt.Sprintf("Cut off: lines %d to 100 are left out", a.To+1), "Left out: the limit is reached. The file has 100 lines.",
		"The file is empty.", "not a git repository"} {
		if !strings.Contains(block.Text, want) {
			t.Errorf("the block does not say %q:\n%s", want, block.Text)
		}
	}
}

// A long file shows its ends, and says how to see the rest; lines that were asked for are shown.
func TestLongFile(t *testing.T) {
	dir := t.TempDir()
	var body strings.Builder
	for i := range 501 {
		fmt.Fprintf(&body, "line-%d\n", i+1)
	}
	write(t, dir, "long.txt", body.String())
	write(t, dir, "fits.txt", strings.TrimSuffix(body.String(), "line-501\n"))
	block, err := project.Describe(t.Context(), dir, []string{"long.txt", "fits.txt", "long.txt:200-300"}, project.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	long, rest, _ := strings.Cut(block.Text, "### fits.txt")
	fits, part, _ := strings.Cut(rest, "### long.txt")
	for _, c := range []struct {
		text, want string
		shown      bool
	}{{long, "\tline-1\n", true}, {long, "\tline-100\n", true}, {long, "\tline-101\n", false}, {long, "\tline-401\n", false}, {long, "\tline-402\n", true},
		{long, "\tline-501\n", true}, {long, "Lines 101 to 401 are left out; a range shows them, for example long.txt:101-300.", true},
		{fits, "\tline-250\n", true}, {fits, "left out", false}, {part, "\tline-300\n", true}, {part, "left out", false}} {
		if strings.Contains(c.text, c.want) != c.shown {
			t.Errorf("%q shown: %v\n%s", c.want, !c.shown, c.text)
		}
	}
	if !block.Files[0].Truncated || block.Files[1].Truncated || block.Files[2].Truncated {
		t.Errorf("Files = %+v", block.Files)
	}
}

// However large a project is, what is told of it without being asked fits fifteen lines.
func TestFactsFitFifteenLines(t *testing.T) {
	dir := t.TempDir()
	for i := range 60 {
		write(t, dir, fmt.Sprintf("d%d/e%d/f.txt", i, i), "x\n")
		write(t, dir, fmt.Sprintf("d%d/go.mod", i), "module example.org/x\n\nrequire example.org/a v1.2.3\n")
		write(t, dir, fmt.Sprintf("f%d", i), "x\n")
	}
	for _, name := range []string{"AGENTS.md", "CLAUDE.md", "README.md", "CONTRIBUTING.md", "ARCHITECTURE.md", "Makefile"} {
		write(t, dir, name, "# A\n\nb\nc\nd\n")
	}
	run(t, dir, "init", "-q", "-b", "main")
	run(t, dir, "add", ".")
	for i := range 9 {
		run(t, dir, "commit", "-q", "--allow-empty", "-m", fmt.Sprint("change ", i))
	}
	block, err := project.Describe(t.Context(), dir, nil, project.Limits{})
	facts := strings.Split(strings.TrimSpace(block.Text), "\n")[2:]
	if err != nil || len(facts) != 15 || !strings.Contains(block.Text, "d0/ 2, d1/ 2") || !strings.Contains(block.Text, " and 40 more") {
		t.Errorf("%v, %d lines:\n%s", err, len(facts), block.Text)
	}
}

func TestDescribeOfAnEmptyFolderAndWithoutGit(t *testing.T) {
	dir := t.TempDir()
	block, err := project.Describe(t.Context(), dir, nil, project.Limits{})
	if err != nil || !strings.Contains(block.Text, "no files") || !strings.Contains(block.Text, "not a git repository") {
		t.Errorf("an empty folder: %q, %v", block.Text, err)
	}
	run(t, dir, "init", "-q", "-b", "main")
	block, err = project.Describe(t.Context(), dir, nil, project.Limits{})
	if err != nil || !strings.Contains(block.Text, "no commit yet") {
		t.Errorf("a repository without a commit: %q, %v", block.Text, err)
	}
}

// git is looked for once per process, so this test runs itself again in one that cannot find it.
func TestDescribeWithoutTheGitProgram(t *testing.T) {
	if dir := os.Getenv("PROJECT_WITHOUT_GIT"); dir != "" {
		block, err := project.Describe(t.Context(), dir, []string{"main.go"}, project.Limits{})
		if err != nil || !strings.Contains(block.Text, "the git program is not installed") || !strings.Contains(block.Text, "package main") {
			t.Errorf("%v:\n%s", err, block.Text)
		}
		return
	}
	cmd := exec.Command(os.Args[0], "-test.run=^TestDescribeWithoutTheGitProgram$", "-test.v")
	cmd.Env = append(os.Environ(), "PROJECT_WITHOUT_GIT="+example(t), "PATH="+t.TempDir())
	out, err := cmd.CombinedOutput()
	if err != nil || !strings.Contains(string(out), "--- PASS: TestDescribeWithoutTheGitProgram") {
		t.Errorf("%v\n%s", err, out)
	}
}

func TestNamedFilesThatCannotBeShown(t *testing.T) {
	base := t.TempDir()
	dir := filepath.Join(base, "proj")
	write(t, base, "outside.txt", "x")
	write(t, dir, "internal/server.go", "package x\n")
	write(t, dir, "bin", "a\x00")
	write(t, dir, ".env", "KEY=1")
	write(t, dir, "huge", strings.Repeat("x\n", 9<<20))
	for i := range 70 {
		write(t, dir, fmt.Sprintf("many/%d", i), "x")
	}
	cases := map[string]folder.Reason{"internal/servre.go": folder.Missing, "*.zig": folder.Missing, "bin": folder.Binary, "huge": folder.Huge,
		"../outside.txt": folder.Outside, filepath.Join(base, "outside.txt"): folder.Outside, ".env": folder.Hidden, "internal": folder.WrongKind,
		"internal/server.go:7": folder.Range, "internal/server.go:3-1": folder.Range, "internal/server.go:0": folder.Range, "many/*": folder.Huge}
	if runtime.GOOS != "windows" {
		if err := os.Symlink("../outside.txt", filepath.Join(dir, "link")); err != nil {
			t.Fatal(err)
		}
		cases["link"] = folder.Outside
	}
	for name, want := range cases {
		_, err := project.Describe(t.Context(), dir, []string{name}, project.Limits{})
		e, ok := errors.AsType[*folder.Error](err)
		if !ok || e.Reason != want || !strings.Contains(err.Error(), ": ") {
			t.Errorf("%s: %v, want reason %s", name, err, want)
		}
		if want == folder.Missing && name != "*.zig" && !slices.Equal(e.Near, []string{"internal/server.go"}) {
			t.Errorf("%s: near = %q", name, e.Near)
		}
	}
	if _, err := project.Describe(t.Context(), filepath.Join(dir, "nowhere"), nil, project.Limits{}); err == nil {
		t.Error("a project that does not exist")
	}
}

func TestBrokenBuildFilesAreNamedOnly(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"go.mod", "package.json", "Cargo.toml", "pyproject.toml", "pom.xml", "requirements.txt"} {
		write(t, dir, name, "[{<\x1b\xff = [\n\"")
	}
	block, err := project.Describe(t.Context(), dir, nil, project.Limits{})
	if err != nil || !strings.Contains(block.Text, "- go.mod\n- package.json\n") || strings.Contains(block.Text, "\x1b") {
		t.Errorf("%v:\n%s", err, block.Text)
	}
}

func BenchmarkDescribe(b *testing.B) {
	dir := example(b)
	for i := range 50_000 {
		write(b, dir, fmt.Sprintf("d%d/e%d/f%d.txt", i%50, i%1000, i), "x\n")
	}
	for _, kind := range []string{"repository", "plain"} {
		if kind == "repository" {
			run(b, dir, "add", ".")
			run(b, dir, "commit", "-qm", "many")
		} else if err := os.RemoveAll(filepath.Join(dir, ".git")); err != nil {
			b.Fatal(err)
		}
		b.Run(kind, func(b *testing.B) {
			for b.Loop() {
				if _, err := project.Describe(b.Context(), dir, []string{"main.go"}, project.Limits{}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
