package confine

import (
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/socrates-cli/socrates/internal/permission/consent"
)

// branches is a project whose two branches differ in what steers tools.
func branches(t *testing.T) site {
	t.Helper()
	p := newPlace(t, map[string]string{"work/AGENTS.md": "one", "work/.vscode/tasks.json": "{}", "work/sub/a": "a", ".gitconfig": "[user]\nname=a\nemail=a@example.com\n"})
	runGit(t, p.work, "-c", "init.defaultBranch=master", "init", "-q")
	runGit(t, p.work, "add", ".")
	runGit(t, p.work, "commit", "-qm", "first")
	runGit(t, p.work, "checkout", "-qb", "more")
	p.put(t, "work/AGENTS.md", "two")
	p.put(t, "work/.vscode/tasks.json", "[]")
	p.put(t, "work/.vscode/more.json", "[]")
	p.put(t, "work/sub/a", "b")
	runGit(t, p.work, "add", ".")
	runGit(t, p.work, "commit", "-qm", "second")
	runGit(t, p.work, "checkout", "-qb", "gone")
	runGit(t, p.work, "rm", "-q", "AGENTS.md")
	runGit(t, p.work, "commit", "-qm", "third")
	runGit(t, p.work, "checkout", "-q", "master")
	p.put(t, "work/.vscode/mine.json", "mine") // which no commit has
	return p
}

func (p site) git(t *testing.T, args ...string) string {
	t.Helper()
	out, ok := p.run(t, consent.Unasked, append([]string{"git"}, args...)...)
	if !ok {
		t.Errorf("git %v: %s", args, out)
	}
	return out
}

// TestGitReplaces: git brings what steers tools to what the branch has, and nobody is told, as nothing came from anywhere else.
func TestGitReplaces(t *testing.T) {
	p := branches(t)
	for _, args := range [][]string{{"checkout", "-q", "more"}, {"checkout", "-q", "master"}, {"merge", "-q", "more"}, {"reset", "-q", "--hard", "HEAD^"}, {"switch", "-q", "gone"}, {"stash", "list"}, {"checkout", "-q", "more", "--", "."}, {"reset", "-q", "--hard"}} {
		again := p.keeper.Watch(p.policy)
		p.git(t, args...)
		if found := again(false); len(found) > 0 {
			t.Errorf("git %v: %v", args, found)
		}
		if out, _ := exec.Command("git", "-C", p.work, "status", "--short", "-uno").CombinedOutput(); len(out) > 0 && !slices.Contains(args, "--") {
			t.Errorf("git %v leaves the files of another branch: %s", args, out)
		}
	}
}

// TestOnlyGitReplaces: while git may, no other program may, and what git's own programs change is told.
func TestOnlyGitReplaces(t *testing.T) {
	p := branches(t)
	again := p.keeper.Watch(p.policy)
	p.git(t, "checkout", "-q", "more")
	for _, script := range []string{"echo x >AGENTS.md", "echo x >.vscode/tasks.json", "git -c alias.x='!echo x >AGENTS.md' x"} {
		if out, ok := p.sh(t, script); ok {
			t.Errorf("%s: %s", script, out)
		}
	}
	if found := again(false); len(found) > 0 {
		t.Error(found)
	}
	for _, args := range [][]string{{"-c", "alias.x=!echo x >AGENTS.md", "x"}, {"rebase", "-q", "-x", "echo x >AGENTS.md", "HEAD^"}, {"apply", "../patch"}} {
		p.run(t, consent.Unasked, append([]string{"git"}, args...)...)
		if text, _ := os.ReadFile(filepath.Join(p.work, "AGENTS.md")); string(text) != "two" {
			t.Errorf("git %v wrote AGENTS.md: %s", args, text)
		}
		runGit(t, p.work, "checkout", "-qf", "more")
	}
	p.put(t, "work/.git/info/attributes", "AGENTS.md filter=x\n.vscode/* filter=x\n")
	runGit(t, p.work, "config", "filter.x.smudge", "sh -c 'cat; echo more'")
	again = p.keeper.Watch(p.policy)
	p.git(t, "checkout", "-q", "master")
	if found := again(false); len(found) != 2 || found[0].Aside != "" || found[0].brought {
		t.Errorf("what a filter wrote: %v", found)
	}
	if more := again(false); len(more) > 0 {
		t.Errorf("told twice: %v", more)
	}
}

// TestCommitsOfAgents: what a commit brings that was made while the process ran is told, and stays.
func TestCommitsOfAgents(t *testing.T) {
	p := branches(t)
	again := p.keeper.Watch(p.policy)
	blob, _ := p.start(t, consent.Unasked, stdin(exec.Command("git", "hash-object", "-w", "--stdin"), "evil"))
	p.git(t, "update-index", "--cacheinfo", "100644,"+strings.TrimSpace(blob)+",AGENTS.md")
	p.git(t, "commit", "-qm", "evil")
	p.git(t, "checkout", "-q", "HEAD", "--", "AGENTS.md")
	if text, _ := os.ReadFile(filepath.Join(p.work, "AGENTS.md")); string(text) != "evil" {
		t.Fatalf("the commit was not checked out: %s", text)
	}
	if found := again(false); len(found) != 1 || !found[0].brought {
		t.Errorf("%v", found)
	}
}

func stdin(cmd *exec.Cmd, text string) *exec.Cmd {
	cmd.Stdin = strings.NewReader(text)
	return cmd
}

// TestAboveTheProject: a command of git's that the person approved also changes the files of the repository above the project.
func TestAboveTheProject(t *testing.T) {
	p := branches(t)
	p.work = filepath.Join(p.work, "sub")
	p.policy.Workspace = []string{p.work}
	again := p.keeper.Watch(p.policy)
	if out, ok := p.run(t, consent.Asked, "git", "checkout", "-q", "more"); !ok {
		t.Errorf("%s", out)
	}
	again(true)
	if text, _ := os.ReadFile(filepath.Join(p.home, "work/AGENTS.md")); string(text) != "two" {
		t.Errorf("AGENTS.md of the branch before: %s", text)
	}
	if out, ok := p.run(t, consent.Asked, "sh", "-c", "echo x >../AGENTS.md"); ok {
		t.Errorf("another program: %s", out)
	}
}

// TestOlderPrograms: a program that still runs from an earlier call holds only what there was; what it does to the rest is told.
// What the person changes in a file that it holds is no work of it.
func TestOlderPrograms(t *testing.T) {
	p := newPlace(t, map[string]string{"work/AGENTS.md": "rules", "work/CLAUDE.md": "rules"})
	again := p.keeper.Watch(p.policy)
	cmd := exec.Command("sh", "-c", `while read line; do sh -c "$line" && echo done || echo failed; done`)
	cmd.Dir, cmd.Env = p.work, []string{"PATH=" + os.Getenv("PATH"), "HOME=" + p.home}
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	end, err := p.keeper.Start(t.Context(), p.policy, nil, nil, consent.Unasked, cmd)
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { in.Close(); cmd.Wait(); end() }()
	do := func(line string) bool {
		io.WriteString(in, line+"\n")
		said := make([]byte, 7)
		n, _ := out.Read(said)
		return strings.HasPrefix(string(said[:n]), "done")
	}
	if do("echo x 2>/dev/null >AGENTS.md") {
		t.Error("what was there can be written")
	}
	p.put(t, "work/.envrc", "mine") // by the person, who approved it
	again(true)
	if !do("echo x >.envrc") {
		t.Fatal("the program cannot write what came later: nothing to test")
	}
	p.put(t, "work/AGENTS.md", "the person's, written in place")
	if found := again(false); len(found) != 1 || filepath.Base(found[0].Path) != ".envrc" {
		t.Errorf("%v", found)
	}
	other := filepath.Join(p.home, "other") // as an editor saves: another file takes the place of the one that is held
	p.put(t, "other", "the person's, another file")
	if err := os.Rename(other, filepath.Join(p.work, "CLAUDE.md")); err != nil {
		t.Fatal(err)
	}
	again(false)
	if do("echo x >CLAUDE.md") {
		if found := again(false); len(found) != 1 || filepath.Base(found[0].Path) != "CLAUDE.md" {
			t.Errorf("%v", found)
		}
	}
}

// TestAwaited: what git would obey if it were there is moved aside when a program makes it.
func TestAwaited(t *testing.T) {
	p := newPlace(t, map[string]string{"work/a": "a", "work/team.gitconfig": "[core]\n\tpager = tools/page\n", ".gitconfig": "[core]\n\thooksPath = .githooks\n[alias]\n\tb = !go build -o bin/app ./cmd\n"})
	runGit(t, p.work, "init", "-q")
	runGit(t, p.work, "config", "include.path", "../team.gitconfig")
	runGit(t, p.work, "config", "filter.x.clean", "sh tools/clean.sh %f")
	for script, want := range map[string]string{"mkdir .githooks && echo x >.githooks/pre-commit": ".githooks", "mkdir -p tools && echo x >tools/page": "tools/page", "mkdir -p tools && echo x >tools/clean.sh": "tools/clean.sh", "mkdir -p bin && echo x >bin/app": ""} {
		again := p.keeper.Watch(p.policy)
		if out, ok := p.sh(t, script); !ok {
			t.Fatalf("%s: %s", script, out)
		}
		found := again(false)
		if want == "" {
			if len(found) > 0 {
				t.Errorf("%s: %v", script, found)
			}
			continue
		}
		if len(found) != 1 || found[0].Path != filepath.Join(p.work, want) || found[0].Aside == "" {
			t.Errorf("%s: %v", script, found)
		}
	}
}

// TestBetweenCalls: what comes between two calls is no less unasked than what comes in one.
func TestBetweenCalls(t *testing.T) {
	p := newPlace(t, map[string]string{"work/a": "a"})
	again := p.keeper.Watch(p.policy)
	if found := again(false); len(found) > 0 {
		t.Fatal(found)
	}
	p.put(t, "work/.envrc", "came between two calls")
	if found := again(false); len(found) != 1 || found[0].Aside == "" {
		t.Errorf("%v", found)
	}
}

// TestAsideOnAnotherDisk: what is moved aside arrives whole where no rename leads, links as links.
func TestAsideOnAnotherDisk(t *testing.T) {
	elsewhere, err := os.MkdirTemp("/dev/shm", "aside")
	if err != nil {
		t.Skip(err)
	}
	defer os.RemoveAll(elsewhere)
	p := newPlace(t, map[string]string{"work/a": "a", "secret": "outside"})
	if os.Rename(filepath.Join(p.home, "secret"), filepath.Join(elsewhere, "secret")) == nil {
		t.Skip("one disk")
	}
	p.keeper.Aside = elsewhere
	again := p.keeper.Watch(p.policy)
	p.put(t, "work/.vscode/deep/tasks.json", "evil")
	if err := os.Symlink("../../secret", filepath.Join(p.work, ".vscode/link")); err != nil {
		t.Fatal(err)
	}
	found := again(false)
	if len(found) != 1 || exists(filepath.Join(p.work, ".vscode")) {
		t.Fatalf("%v", found)
	}
	if text, _ := os.ReadFile(filepath.Join(found[0].Aside, "deep/tasks.json")); string(text) != "evil" {
		t.Errorf("%s", text)
	}
	if to, err := os.Readlink(filepath.Join(found[0].Aside, "link")); err != nil || to != "../../secret" {
		t.Errorf("%s %v", to, err)
	}
}

// TestWhatGitHad: what the repository had before the process began is nobody's doing, whichever way git brings it back; the times of
// its files say nothing.
func TestWhatGitHad(t *testing.T) {
	for name, run := range map[string][][]string{
		"revert":           {{"revert", "--no-edit", "HEAD"}},
		"two commits":      {{"checkout", "-q", "gone"}, {"commit", "-qm", "a", "--allow-empty"}, {"commit", "-qm", "b", "--allow-empty"}},
		"cherry-pick -n":   {{"checkout", "-q", "master"}, {"cherry-pick", "-n", "more"}},
		"cherry-pick two":  {{"checkout", "-q", "master"}, {"cherry-pick", "more", "gone"}},
		"merge --squash":   {{"checkout", "-q", "master"}, {"merge", "--squash", "more"}},
		"stash and back":   {{"stash", "-q", "-u"}, {"stash", "apply", "-q"}},
		"the person's":     {{"stash", "apply", "-q", "stash@{0}"}},
		"of a folder":      {{"-C", ".", "checkout", "-q", "master"}},
		"restore":          {{"restore", "--source=gone~2", "--", "AGENTS.md"}},
		"with own commits": {{"checkout", "-q", "master"}, {"commit", "-qm", "own", "--allow-empty"}, {"merge", "-q", "--no-edit", "more"}},
	} {
		p := branches(t)
		runGit(t, p.work, "checkout", "-q", "more")
		p.put(t, "work/AGENTS.md", "three, by the person")
		runGit(t, p.work, "stash", "-q")
		runGit(t, p.work, "gc", "-q")
		again := p.keeper.Watch(p.policy)
		for _, args := range run {
			p.git(t, args...)
		}
		found := again(false)
		if name == "revert" || name == "cherry-pick two" { // by a commit of this process
			found = slices.DeleteFunc(found, func(c Change) bool { return c.gone })
		}
		if name == "stash and back" { // it was away in between, and is back
			found = slices.DeleteFunc(found, func(c Change) bool { return c.Aside == "" })
		}
		if len(found) > 0 {
			t.Errorf("%s: %v", name, found)
		}
		if !exists(filepath.Join(p.work, ".vscode/mine.json")) {
			t.Errorf("%s: the person's file is gone", name)
		}
	}
}

// TestWhatGitHadNot: what a commit of this process changes is told, also if it is only a mode or a removal; what was only added to
// the index is moved aside, and what git takes away untracked is told.
func TestWhatGitHadNot(t *testing.T) {
	for want, run := range map[string]func(p site){
		".husky/pre-push came with": func(p site) {
			p.git(t, "update-index", "--add", "--cacheinfo", "100755,"+blobOf(t, p, "hook")+",.husky/pre-push")
			p.git(t, "commit", "-qm", "exec")
			p.git(t, "checkout", "-q", "HEAD", "--", ".")
		},
		"AGENTS.md was removed": func(p site) {
			p.git(t, "rm", "-q", "--cached", "AGENTS.md")
			p.git(t, "commit", "-qm", "remove")
			p.git(t, "checkout", "-qf", "gone~1")
			p.git(t, "checkout", "-q", "master")
		},
		"mine.json was removed": func(p site) { p.git(t, "stash", "-q", "-u") },
		"CLAUDE.md was created": func(p site) {
			p.put(t, "work/CLAUDE.md", "evil")
			p.git(t, "add", "CLAUDE.md")
		},
	} {
		p := branches(t)
		p.put(t, "work/.husky/pre-push", "hook")
		os.Chmod(filepath.Join(p.work, ".husky/pre-push"), 0o644)
		runGit(t, p.work, "add", ".husky")
		runGit(t, p.work, "commit", "-qm", "hook")
		again := p.keeper.Watch(p.policy)
		run(p)
		if found := again(false); !slices.ContainsFunc(found, func(c Change) bool { return strings.Contains(c.String(), want) }) {
			t.Errorf("%s: %v", want, found)
		}
	}
}

func blobOf(t *testing.T, p site, text string) string {
	t.Helper()
	out, ok := p.start(t, consent.Unasked, stdin(exec.Command("git", "hash-object", "-w", "--stdin"), text))
	if !ok {
		t.Fatal(out)
	}
	return strings.TrimSpace(out)
}

// TestGitOfOthers: git that only reads cannot write the repository, as it may run the filters of another that has come; nor can git
// at work in such another.
func TestGitOfOthers(t *testing.T) {
	p := branches(t)
	again := p.keeper.Watch(p.policy)
	script := `git init -q sub; cd sub; echo a >a; git add a; git -c user.name=a -c user.email=a@b commit -qm a
		git config filter.x.clean 'echo x >"` + p.work + `/.git/evil"; cat'; echo 'a filter=x' >.gitattributes; touch -d 2001-01-01 a`
	if out, ok := p.sh(t, script); !ok {
		t.Fatal(out)
	}
	for _, args := range [][]string{{"-C", "sub", "status", "-s"}, {"-C", "sub", "add", "a"}, {"status", "-s"}, {"-C", "sub", "stash"}, {"add", "sub"}} {
		p.run(t, consent.Unasked, append([]string{"git"}, args...)...)
		if exists(filepath.Join(p.work, ".git/evil")) {
			t.Errorf("git %v let a filter of another repository write this one's", args)
		}
	}
	if found := again(false); len(found) == 0 {
		t.Error("the new repository is not told")
	}
	p.git(t, "add", "sub/a")
}
