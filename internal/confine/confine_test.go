package confine

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/gofrs/flock"

	"github.com/socrates-cli/socrates/internal/permission"
	"github.com/socrates-cli/socrates/internal/permission/consent"
	"github.com/socrates-cli/socrates/internal/project/sensitive"
	"github.com/socrates-cli/socrates/internal/sandbox"
	"github.com/socrates-cli/socrates/internal/scratch"
	"github.com/socrates-cli/socrates/internal/shell"
)

// site is a home with a project in it.
type site struct {
	keeper     *Keeper
	home, work string
	policy     permission.Policy
}

func newPlace(t *testing.T, files map[string]string) site {
	t.Helper()
	if r := sandbox.Probe(t.Context()); r.Files.Level != sandbox.Held || r.Protect.Level != sandbox.Held {
		t.Skip(r)
	}
	home, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	p := site{home: home, work: filepath.Join(home, "work")}
	t.Setenv("HOME", home)
	for name, text := range files {
		p.put(t, name, text)
	}
	if err := os.MkdirAll(p.work, 0o755); err != nil {
		t.Fatal(err)
	}
	p.keeper = &Keeper{Home: home, Hidden: []string{filepath.Join(home, "store")}, Caches: filepath.Join(home, "caches"), Deep: true, Aside: filepath.Join(home, "aside")}
	if p.policy, err = permission.NewPolicy(permission.Yolo, p.work); err != nil {
		t.Fatal(err)
	}
	p.policy.Home = home
	return p
}

func (p site) put(t *testing.T, name, text string) {
	t.Helper()
	file := filepath.Join(p.home, filepath.FromSlash(name))
	if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o755), os.WriteFile(file, []byte(text), 0o755)); err != nil {
		t.Fatal(err)
	}
}

// run runs a program of the project.
func (p site) run(t *testing.T, by consent.Level, argv ...string) (string, bool) {
	t.Helper()
	return p.start(t, by, exec.Command(argv[0], argv[1:]...))
}

func (p site) start(t *testing.T, by consent.Level, cmd *exec.Cmd) (string, bool) {
	t.Helper()
	cmd.Dir = p.work
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + p.home, "GIT_CONFIG_NOSYSTEM=1", "GOPATH=" + filepath.Join(p.home, "go")}
	end, err := p.keeper.Start(t.Context(), p.policy, nil, nil, by, cmd)
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.CombinedOutput()
	if strings.Contains(string(out), "sandbox:") {
		t.Fatalf("%s", out)
	}
	if failed := end(); failed != nil {
		t.Error(failed)
	}
	return string(out), err == nil
}

// sh runs a script as one program: what it does is no command of its own.
func (p site) sh(t *testing.T, script string) (string, bool) {
	t.Helper()
	cmd := exec.Command("sh", "-s")
	cmd.Stdin = strings.NewReader(script)
	return p.start(t, consent.Unasked, cmd)
}

func runGit(t *testing.T, dir string, args ...string) {
	t.Helper()
	if out, err := exec.Command("git", append([]string{"-C", dir, "-c", "user.name=a", "-c", "user.email=a@example.com", "-c", "protocol.file.allow=always"}, args...)...).CombinedOutput(); err != nil {
		t.Fatalf("git %v: %v %s", args, err, out)
	}
}

// TestOnlyTheSessionsFolders: of what the environment of a program names, only its session's temporary folder can be written,
// and of the home nothing is shown for it; what may contain secrets there is denied even where something shows it.
func TestOnlyTheSessionsFolders(t *testing.T) {
	p := newPlace(t, map[string]string{".bashrc": "mine", ".ssh/id": "my key", "other/.env": "of another", "Documents/letter": "a letter"})
	session, err := scratch.New("shell")
	if err != nil {
		t.Fatal(err)
	}
	defer session.Remove()
	policy := p.policy
	policy.Temp = nil // where this home lies
	run := func(script string, env ...string) (string, bool) {
		cmd := exec.Command("sh", "-s")
		cmd.Stdin = strings.NewReader(script) // else its words would say what it may touch
		cmd.Env = append([]string{"PATH=" + os.Getenv("PATH"), "HOME=" + p.home}, env...)
		cmd.Dir = p.work
		end, err := p.keeper.Start(t.Context(), policy, nil, nil, consent.Unasked, cmd)
		if err != nil {
			t.Fatal(err)
		}
		out, err := cmd.CombinedOutput()
		end()
		return string(out), err == nil
	}
	for _, env := range []string{"TMPDIR=" + p.home, "TMPDIR=" + p.home + "/other", "X=" + p.home + "/other", "DATA=" + p.home + "/Documents", "JAVA_HOME=" + p.home + "/Documents"} {
		for _, script := range []string{"echo x >>" + p.home + "/.bashrc", "cat " + p.home + "/.ssh/id", "cat " + p.home + "/other/.env", "cat " + p.home + "/Documents/letter", "echo x >" + p.home + "/other/new"} {
			if out, ok := run(script, env); ok {
				t.Errorf("%s %s: %s", env, script, out)
			}
		}
	}
	if out, ok := run(`echo x >"$TMPDIR/x"`, "TMPDIR="+session.Path); !ok {
		t.Errorf("the session's own folder: %s", out)
	}
	if text, _ := os.ReadFile(filepath.Join(p.home, ".bashrc")); string(text) != "mine" {
		t.Errorf("it is %q now", text)
	}
}

// TestALinkLocksNobodyOut: a link with the name of a secret that leads nowhere, or in a circle, is no reason to run nothing.
func TestALinkLocksNobodyOut(t *testing.T) {
	p := newPlace(t, map[string]string{})
	for name, to := range map[string]string{"x.key": "/nowhere/x", "a.pem": "b.pem", "b.pem": "a.pem", "c.key": "c.key/y"} {
		if err := os.Symlink(to, filepath.Join(p.work, name)); err != nil {
			t.Fatal(err)
		}
	}
	if out, ok := p.sh(t, "echo fine"); !ok || out != "fine\n" {
		t.Errorf("%q %v", out, ok)
	}
}

// TestOneListOfSecrets: what the gate denies, tools do not show and programs cannot read, entry by entry; and what is no
// toolchain of a home, neither.
func TestOneListOfSecrets(t *testing.T) {
	names := []string{".ssh/id_ed25519", ".aws/credentials", ".pgpass", ".vault-token", ".cargo/credentials.toml", ".netrc", ".npmrc", ".git-credentials", ".kube/config", ".docker/config.json",
		"other/.env", "other/deep/key.pem"}
	for _, name := range sensitive.HomeSecrets() {
		if !strings.HasPrefix(name, "library/") && !strings.HasPrefix(name, ".cargo/") {
			names = append(names, name+"/x")
		}
	}
	files := map[string]string{}
	for _, name := range names {
		files[name] = "secret of " + name
	}
	p := newPlace(t, files)
	for _, name := range names {
		path := filepath.Join(p.home, filepath.FromSlash(name))
		if d := p.policy.Script("cat "+path, shell.Context{Dir: p.work}); d.Verdict != permission.Deny {
			t.Errorf("the gate: %s: %s, %s", name, d.Verdict, d.Reason)
		}
		if !sensitive.HomeSecret(name) {
			t.Errorf("%s is no secret", name)
		}
		if out, ok := p.sh(t, "cat "+path); ok {
			t.Errorf("a program reads %s: %s", name, out)
		}
	}
	for _, name := range []string{".env", "api/.env", "deep/er/service-account.json", "k.pem"} {
		p.put(t, "work/"+name, "secret")
		p.put(t, "work/"+filepath.Join(filepath.Dir(name), "open.txt"), "open")
		if !sensitive.Secret(name) {
			t.Errorf("%s is no secret to tools", name)
		}
		fresh := p
		fresh.keeper = &Keeper{Home: p.home, Deep: true}
		if out, ok := fresh.sh(t, "cat "+name); ok {
			t.Errorf("a program reads %s: %s", name, out)
		}
	}
	p.put(t, "Documents/letter", "dear")
	p.put(t, ".nvm/node", "tool")
	for path, want := range map[string]bool{"Documents/letter": false, ".nvm/node": true, "store/x": false} {
		if out, ok := p.sh(t, "cat $HOME/"+path); ok != want {
			t.Errorf("%s: %v, want %v: %s", path, ok, want, out)
		}
	}
}

// TestOnlyGitWritesGit: the whole of every .git is closed to other programs; git itself does not change what it obeys.
func TestOnlyGitWritesGit(t *testing.T) {
	p := newPlace(t, map[string]string{"work/a": "a", ".gitconfig": "[user]\nname=a\nemail=a@example.com\n"})
	runGit(t, p.work, "init", "-q")
	runGit(t, p.work, "add", ".")
	runGit(t, p.work, "commit", "-q", "-m", "first")
	sub := filepath.Join(p.work, "third", "sub")
	runGit(t, p.home, "clone", "-q", p.work, sub)
	runGit(t, p.home, "init", "-q", "--bare", filepath.Join(p.work, "bare"))
	for _, script := range []string{
		"echo x >.git/commondir", "echo x >>.git/config", "echo x >.git/config.worktree", "mkdir .git/modules", "echo x >.git/hooks/pre-commit", "echo x >.git/HEAD", "rm -rf .git/objects",
		"rm -r .git/refs", "mv .git g", "echo x >.git/objects/info/alternates", "echo x >.git/info/exclude", "chmod -R 777 .git", "echo x >third/sub/.git/config", "rm -rf third/sub/.git",
		"echo x >>bare/config", "mv third v", "git commit -q --allow-empty -m evil", "git config core.fsmonitor ./evil", "ln -f a .git/config",
	} {
		if out, ok := p.sh(t, script); ok {
			t.Errorf("%s: a program could: %s", script, out)
		}
	}
	p.put(t, "work/b", "b")
	for _, args := range [][]string{{"add", "b"}, {"commit", "-q", "-m", "second"}, {"branch", "x"}, {"checkout", "-q", "x"}, {"merge", "-q", "master"}, {"stash", "list"}, {"gc", "-q"}} {
		if out, ok := p.run(t, consent.Unasked, append([]string{"git"}, args...)...); !ok && args[0] != "merge" {
			t.Errorf("git %v: %s", args, out)
		}
	}
	for _, args := range [][]string{{"config", "core.fsmonitor", "./evil"}, {"config", "--worktree", "core.hooksPath", "x"}, {"remote", "add", "o", "x"}, {"worktree", "add", "-q", "../w2"}} {
		if out, ok := p.run(t, consent.Unasked, append([]string{"git"}, args...)...); ok && args[0] != "config" {
			t.Errorf("git %v: %s", args, out)
		}
	}
	for _, dir := range []string{"third/sub", "bare"} {
		p.run(t, consent.Unasked, "git", "-C", dir, "config", "core.fsmonitor", "./evil")
	}
	for _, name := range []string{".git/config", "third/sub/.git/config", "bare/config"} {
		if text, _ := os.ReadFile(filepath.Join(p.work, name)); strings.Contains(string(text), "evil") {
			t.Errorf("git changed %s: %s", name, text)
		}
	}
	if out, ok := p.run(t, consent.Asked, "git", "config", "core.x", "wanted"); !ok {
		t.Errorf("approved: %s", out)
	}
	if out, ok := p.run(t, consent.Asked, "sh", "-c", "echo x >.git/description"); !ok {
		t.Errorf("approved: %s", out)
	}
}

// TestLoginsInSettings: what the settings of a repository hold to log in with is git's alone.
func TestLoginsInSettings(t *testing.T) {
	p := newPlace(t, map[string]string{"work/a": "a"})
	runGit(t, p.work, "init", "-q")
	if out, ok := p.sh(t, "cat .git/config"); !ok {
		t.Errorf("settings without a login: %s", out)
	}
	runGit(t, p.work, "remote", "add", "origin", "https://u:tok123@example.com/x")
	if out, ok := p.sh(t, "cat .git/config"); ok && strings.Contains(out, "tok123") {
		t.Errorf("a program reads %s", out)
	}
	if out, ok := p.run(t, consent.Unasked, "git", "remote", "-v"); !ok || !strings.Contains(out, "tok123") {
		t.Errorf("git does not: %s", out)
	}
}

// TestGitElsewhere: in a linked work tree and below the top of a repository git works, and obeys nothing new.
func TestGitElsewhere(t *testing.T) {
	p := newPlace(t, map[string]string{"main/deep/a": "a", ".gitconfig": "[user]\nname=a\nemail=a@example.com\n"})
	main := filepath.Join(p.home, "main")
	runGit(t, main, "init", "-q")
	runGit(t, main, "add", ".")
	runGit(t, main, "commit", "-q", "-m", "first")
	runGit(t, main, "worktree", "add", "-q", filepath.Join(p.home, "linked"))
	for _, dir := range []string{filepath.Join(p.home, "linked"), filepath.Join(main, "deep")} {
		p.work, p.policy.Workspace = dir, []string{dir}
		if err := os.WriteFile(filepath.Join(dir, "new"), nil, 0o644); err != nil {
			t.Fatal(err)
		}
		for _, args := range [][]string{{"add", "new"}, {"commit", "-q", "-m", "second"}, {"status", "--short"}} {
			if out, ok := p.run(t, consent.Unasked, append([]string{"git"}, args...)...); !ok {
				t.Errorf("%s: git %v: %s", dir, args, out)
			}
		}
		for _, script := range []string{"echo x >" + main + "/.git/config", "touch " + main + "/.git/x", "echo x >" + main + "/.git/worktrees/linked/commondir", "touch " + main + "/outside"} {
			if out, ok := p.sh(t, script); ok {
				t.Errorf("%s: %s: %s", dir, script, out)
			}
		}
		if out, ok := p.run(t, consent.Unasked, "git", "config", "a.b", "c"); ok {
			t.Errorf("%s: its config: %s", dir, out)
		}
	}
}

// TestSteeringIsMovedAside: what steers tools and did not exist is out of the project once the program has ended, and told;
// what existed could not be changed; what was approved stays.
func TestSteeringIsMovedAside(t *testing.T) {
	p := newPlace(t, map[string]string{"work/AGENTS.md": "rules", "work/sub/.vscode/tasks.json": "{}"})
	runGit(t, p.work, "init", "-q")
	for _, script := range []string{"echo x >>AGENTS.md", "echo x >sub/.vscode/tasks.json", "rm -r sub/.vscode", "mv sub s"} {
		if out, ok := p.sh(t, script); ok {
			t.Errorf("%s: %s", script, out)
		}
	}
	for script, want := range map[string]string{
		"echo x >CLAUDE.md": "CLAUDE.md", "mkdir -p n/.git && echo x >n/.git/config": "n/.git", "echo x >sub/AGENTS.md": "sub/AGENTS.md", "mkdir deep && cd deep && mkdir er && echo x >er/.envrc": "deep/er/.envrc",
		"git init -q --bare hidden": "hidden", "mkdir -p ro/.git && echo x >ro/.git/config && chmod 500 ro ro/.git": "ro/.git", "mkdir .husky && echo x >.husky/pre-commit": ".husky", "ln -s a .cursorrules": ".cursorrules", "mkdir -p .github/prompts .github/workflows": ".github/prompts", "echo x >my.code-workspace": "my.code-workspace", "mkdir prompts": "", "mkdir -p .hg && echo x >.hg/hgrc": ".hg/hgrc", "mkdir -p vendor && echo x >vendor/AGENTS.md": "vendor/AGENTS.md", "mkdir -p build/.vscode": "build/.vscode", "touch ok": "",
		"echo x >Claude.MD": "Claude.MD", "echo x >.gitmodules && touch -d 2001-01-01 .gitmodules .": ".gitmodules",
	} {
		old := time.Date(2001, 1, 1, 0, 0, 0, 0, time.Local)
		if err := os.Chtimes(p.work, old, old); err != nil { // a program sets the folder's time back to this
			t.Fatal(err)
		}
		again := p.keeper.Watch(p.policy)
		if out, ok := p.sh(t, script); !ok {
			t.Fatalf("%s: %s", script, out)
		}
		changes := again(false)
		if want == "" {
			if len(changes) > 0 {
				t.Errorf("%s: %v", script, changes)
			}
			continue
		}
		if len(changes) != 1 || changes[0].Path != filepath.Join(p.work, want) || exists(changes[0].Path) || !exists(changes[0].Aside) {
			t.Errorf("%s: %v, want %s", script, changes, want)
		}
		if more := again(false); len(more) > 0 {
			t.Errorf("%s: told twice: %v", script, more)
		}
	}
	for script, want := range map[string]string{
		"mkdir objects refs; echo x >HEAD; echo x >config": "HEAD", "mkdir -p kept/objects kept/refs; echo mine >kept/mine; echo x >kept/HEAD": "kept/HEAD",
		"mkdir -p part whole/objects whole/refs; echo x >part/HEAD; echo ../whole >part/commondir": "part",
	} {
		again := p.keeper.Watch(p.policy)
		p.sh(t, script)
		if changes := again(false); len(changes) != 1 || changes[0].Path != filepath.Join(p.work, want) || exists(changes[0].Path) || !exists(filepath.Join(p.work, "AGENTS.md")) {
			t.Errorf("%s: %v, want %s", script, changes, want)
		}
	}
	if !exists(filepath.Join(p.work, "kept/mine")) {
		t.Error("a file of the person's was moved with what made its folder a repository")
	}
	again := p.keeper.Watch(p.policy)
	p.run(t, consent.Asked, "sh", "-c", "echo x >GEMINI.md")
	if again(true); !exists(filepath.Join(p.work, "GEMINI.md")) || len(again(false)) > 0 {
		t.Error("what was approved does not stay")
	}
}

// TestDecoysPushNothingOut: what programs make during a call takes the place of nothing that is held or hidden, however much it is.
func TestDecoysPushNothingOut(t *testing.T) {
	p := newPlace(t, map[string]string{"work/docs/AGENTS.md": "rules", "work/.vscode/settings.json": "{}", "work/deep/er/.env": "secret"})
	runGit(t, p.work, "init", "-q")
	again := p.keeper.Watch(p.policy)
	if out, ok := p.sh(t, "for i in $(seq 100 1300); do : >.agents:$i; done; for i in $(seq 0 220); do mkdir e$i; echo x >e$i/.env; done"); !ok {
		t.Fatal(out)
	}
	p.keeper.secrets.Clear() // what was found a moment ago is not taken for what there is
	for _, script := range []string{"echo x >>.git/config", "echo x >docs/AGENTS.md", "echo x >.vscode/settings.json", "rm -r .git/refs", "cat deep/er/.env"} {
		if out, ok := p.sh(t, script); ok {
			t.Errorf("%s: %s", script, out)
		}
	}
	if out, ok := p.sh(t, "rm -f .agents:*"); !ok {
		t.Fatal(out)
	}
	if changes := again(false); len(changes) > 0 {
		t.Error(changes)
	}
}

// TestMoreThanIsHeld: of what steers tools and is too much to be held, each change is told, also one that sets times and
// sizes back or is inside a folder.
func TestMoreThanIsHeld(t *testing.T) {
	files := map[string]string{}
	for i := range mostHeld + 5 {
		files[fmt.Sprintf("work/p%04d/AGENTS.md", i)] = "rules"
	}
	files["work/z/z/.vscode/tasks.json"] = "{}"
	p := newPlace(t, files)
	for _, script := range []string{"echo wrong | head -c 5 >p1004/AGENTS.md; touch -r p1003/AGENTS.md p1004/AGENTS.md", "echo '[]' >z/z/.vscode/tasks.json"} {
		again := p.keeper.Watch(p.policy)
		if out, ok := p.sh(t, script); !ok {
			t.Fatalf("%s: %s", script, out)
		}
		if changes := again(false); len(changes) != 1 {
			t.Errorf("%s: %v", script, changes)
		}
	}
}

// TestWhatIsNamedIsHeld: what a repository's settings name, and what links in hooks and in folders that steer tools lead to, is
// held like these.
func TestWhatIsNamedIsHeld(t *testing.T) {
	p := newPlace(t, map[string]string{"work/.githooks/pre-commit": "true", "work/team.gitconfig": "", "work/tools/watch.sh": "true", "work/scripts/commit": "true", "work/vs.json": "{}", "work/.vscode/x": ""})
	runGit(t, p.work, "init", "-q")
	runGit(t, p.work, "config", "core.hooksPath", ".githooks")
	runGit(t, p.work, "config", "core.fsmonitor", "tools/watch.sh")
	runGit(t, p.work, "config", "include.path", "../team.gitconfig")
	p.put(t, "work/tools/clean.sh", "cat")
	runGit(t, p.work, "config", "filter.x.clean", "sh tools/clean.sh %f")
	p.put(t, "work/oneline/hook", "true")
	text, err := os.ReadFile(filepath.Join(p.work, ".git/config"))
	if err != nil {
		t.Fatal(err)
	}
	p.put(t, "work/.git/config", string(text)+"[core] hooksPath = oneline\n[alias]\n\tx = !tools/alias.sh\n")
	p.put(t, "work/tools/alias.sh", "true")
	runGit(t, p.work, "config", "filter.y.clean", `"my tools/c.sh" %f`)
	p.put(t, "work/my tools/c.sh", "cat")
	p.put(t, "work/deep/hooks/pre-commit", "true")
	runGit(t, p.work, "config", "core.editor", "deep/hooks/pre-commit")
	for link, to := range map[string]string{".git/hooks/post-commit": "../../scripts/commit", ".vscode/settings.json": "../vs.json"} {
		os.MkdirAll(filepath.Dir(filepath.Join(p.work, link)), 0o755)
		if err := os.Symlink(to, filepath.Join(p.work, link)); err != nil {
			t.Fatal(err)
		}
	}
	for _, file := range []string{"'my tools/c.sh'", "tools/clean.sh", "tools/alias.sh", "oneline/hook", ".githooks/pre-commit", ".githooks/new", "team.gitconfig", "tools/watch.sh", "scripts/commit", "vs.json"} {
		if out, ok := p.sh(t, "echo x >"+file); ok {
			t.Errorf("%s: %s", file, out)
		}
	}
	deep := p // a project below the top
	deep.work = filepath.Join(p.work, "deep")
	deep.policy.Workspace = []string{deep.work}
	if out, ok := deep.sh(t, "echo x >hooks/pre-commit"); ok {
		t.Errorf("below the top: %s", out)
	}
	if out, ok := p.sh(t, "echo x >scripts/other"); !ok {
		t.Errorf("beside it: %s", out)
	}
}

// TestAClosedFolderHidesNothing: programs do not get into a folder that we may not list, and what they close is opened to look
// at it.
func TestAClosedFolderHidesNothing(t *testing.T) {
	if os.Getuid() == 0 {
		t.Skip("root lists every folder")
	}
	p := newPlace(t, map[string]string{"work/s/AGENTS.md": "rules", "work/s/.env": "secret", "work/s/x": "x"})
	runGit(t, p.work, "init", "-q", "s/t")
	again := p.keeper.Watch(p.policy)
	if out, ok := p.sh(t, "mkdir -p new/.git && echo x >new/.git/config && chmod 111 new && chmod 111 s"); !ok {
		t.Fatal(out)
	}
	if changes := again(false); len(changes) != 1 || changes[0].Path != filepath.Join(p.work, "new/.git") {
		t.Error(changes)
	}
	if err := os.Chmod(filepath.Join(p.work, "s"), 0o111); err != nil { // by a program that nobody looked at
		t.Fatal(err)
	}
	defer os.Chmod(filepath.Join(p.work, "s"), 0o755)
	p.keeper.first.Clear()
	p.keeper.secrets.Clear()
	for _, script := range []string{"echo x >>s/t/.git/config", "echo x >>s/AGENTS.md", "cat s/.env"} {
		if out, ok := p.sh(t, script); ok {
			t.Errorf("%s: %s", script, out)
		}
	}
}

// TestRepositoriesInWhatIsInstalled: they are held, and new ones are moved aside, in vendor, node_modules, build and the like.
func TestRepositoriesInWhatIsInstalled(t *testing.T) {
	p := newPlace(t, map[string]string{"work/node_modules/@a/b/index.js": "", "work/vendor/github.com/a/b/x.go": ""})
	for _, dir := range []string{"vendor/lib", "node_modules/@a/b", "vendor/github.com/a/b", "build/e"} {
		runGit(t, p.work, "init", "-q", dir)
		if out, ok := p.sh(t, "echo x >>"+dir+"/.git/config"); ok {
			t.Errorf("%s: %s", dir, out)
		}
	}
	for _, dir := range []string{"dist", "target/x", "node_modules/y", ".venv/z", "vendor/example.com/u/v"} {
		again := p.keeper.Watch(p.policy)
		if out, ok := p.sh(t, "mkdir -p "+dir+"/.git && echo x >"+dir+"/.git/config"); !ok {
			t.Fatal(out)
		}
		if changes := again(false); len(changes) != 1 || changes[0].Path != filepath.Join(p.work, dir, ".git") {
			t.Errorf("%s: %v", dir, changes)
		}
	}
}

// TestNothingHidesInSecrets: what steers tools is found also in a new folder whose name is a secret's.
func TestNothingHidesInSecrets(t *testing.T) {
	p := newPlace(t, map[string]string{})
	for script, want := range map[string]string{"mkdir -p credentials/.git; echo x >credentials/.git/config": "credentials/.git", "mkdir -p x.key/a/b; echo x >x.key/a/b/AGENTS.md": "x.key/a/b/AGENTS.md",
		"git init -q --bare tls.pem/r": "tls.pem/r", "mkdir .env.d; echo x >.env.d/.envrc": ".env.d/.envrc"} {
		again := p.keeper.Watch(p.policy)
		if out, ok := p.sh(t, script); !ok {
			t.Fatalf("%s: %s", script, out)
		}
		if changes := again(false); len(changes) != 1 || changes[0].Path != filepath.Join(p.work, want) || exists(changes[0].Path) {
			t.Errorf("%s: %v", script, changes)
		}
	}
}

// TestSecretsElsewhere: what may contain secrets is hidden in places that are shown, too, and beside what makes its folder a
// repository.
func TestSecretsElsewhere(t *testing.T) {
	p := newPlace(t, map[string]string{"bin/.env": "heron", ".npm/.npmrc": "heron", ".cargo/.env": "heron", "go/src/x/id_rsa": "heron", "go/bin/x": "shown", "work/sub/deep/.env": "heron"})
	p.put(t, "work/sub/HEAD", "x")
	if err := errors.Join(os.MkdirAll(filepath.Join(p.work, "sub/objects"), 0o755), os.MkdirAll(filepath.Join(p.work, "sub/refs"), 0o755)); err != nil {
		t.Fatal(err)
	}
	p.policy.Temp = []string{t.TempDir()}
	key := filepath.Join(p.policy.Temp[0], "person.key")
	if err := os.WriteFile(key, []byte("heron"), 0o600); err != nil {
		t.Fatal(err)
	}
	out, _ := p.sh(t, "cat $HOME/bin/.env $HOME/.npm/.npmrc $HOME/.cargo/.env $HOME/go/src/x/id_rsa $HOME/go/bin/x sub/deep/.env "+key)
	if strings.Contains(out, "heron") || !strings.Contains(out, "shown") {
		t.Error(out)
	}
}

// TestOtherProjects: of what lies beside the folders of the system and the homes a program finds its project, what git
// needs of others, and the tools it is made of; nothing of other projects, neither in what was installed.
func TestOtherProjects(t *testing.T) {
	p := newPlace(t, map[string]string{"go/bin/tool": "a tool"})
	disk, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	secrets := []string{"srv/app/.env", "work/other/config.txt", "opt/mine/config.txt", "opt/made/.env", ".env", "data/kit/.env", "var/www/config.txt", "run/secrets/db"}
	for _, name := range append(slices.Clone(secrets), "usr/lib/library", "opt/made/library", "data/kit/bin/run", "data/kit/lib/library", "work/origin/a", "opt/mine/.git/HEAD", "srv/app/public") {
		file := filepath.Join(disk, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o755), os.WriteFile(file, []byte("#!/bin/sh\necho text of "+name+"\n"), 0o755)); err != nil {
			t.Fatal(err)
		}
	}
	origin := filepath.Join(disk, "work", "origin")
	runGit(t, origin, "init", "-q")
	runGit(t, origin, "add", "a")
	runGit(t, origin, "commit", "-qm", "first")
	p.work = filepath.Join(disk, "work", "main")
	runGit(t, disk, "clone", "-q", "--shared", origin, p.work)
	p.keeper.top = disk
	if p.policy, err = permission.NewPolicy(permission.Yolo, p.work); err != nil {
		t.Fatal(err)
	}
	p.policy.Temp = nil // where all of this lies
	t.Setenv("PATH", filepath.Join(disk, "data", "kit", "bin")+":"+os.Getenv("PATH"))
	for _, name := range secrets {
		if out, ok := p.sh(t, "cat "+filepath.Join(disk, name)); ok || strings.Contains(out, "text of") {
			t.Errorf("%s was read: %s", name, out)
		}
	}
	p.keeper.Read = []string{filepath.Join(disk, "srv")} // by a setting
	if out, _ := p.sh(t, "cat ../../srv/app/* ../../srv/app/.env"); !strings.Contains(out, "text of srv/app/public") || strings.Contains(out, "text of srv/app/.env") {
		t.Error(out)
	}
	if out, _ := p.run(t, consent.Unasked, "ls", filepath.Join(disk, "work", "other"), filepath.Join(disk, "data")); !strings.Contains(out, "config.txt") || !strings.Contains(out, "kit") {
		t.Error(out)
	}
	sub := p
	sub.work = filepath.Join(p.work, "sub")
	os.Mkdir(sub.work, 0o755)
	sub.policy.Workspace = []string{sub.work}
	if out, ok := sub.sh(t, "git status && cat ../.git/config"); !ok {
		t.Errorf("below the top of a repository: %s", out)
	}
	for _, script := range []string{"run", "cat ../../data/kit/lib/library", "cat ../../usr/lib/library", "cat ../../opt/made/library", "cat a", "git log -p", "cat ~/go/bin/tool"} {
		if out, ok := p.sh(t, script); !ok || out == "" {
			t.Errorf("%s: %v %s", script, ok, out)
		}
	}
}

// TestWhatOthersCannotName: neither links nor files of a program's making open what lies beside the project: what PATH names in
// the project, its .git, the objects that it borrows.
func TestWhatOthersCannotName(t *testing.T) {
	p := newPlace(t, nil)
	disk, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	victim := filepath.Join(disk, "srv", "victim")
	p.work = filepath.Join(disk, "srv", "mine")
	for name, text := range map[string]string{"srv/victim/a": "heron", "srv/victim/node_modules/x/tool": "#!/bin/sh\necho ran", "srv/mine/b": "b", "srv/mine/.venv/bin/x": "", "tools/prog": "#!/bin/sh\necho ran", "tools/private/a": "heron",
		"srv/co/bin/y": "", "srv/co/lib/z": "shown", "srv/co/project/a": "heron"} {
		file := filepath.Join(disk, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o755), os.WriteFile(file, []byte(text), 0o755)); err != nil {
			t.Fatal(err)
		}
	}
	runGit(t, victim, "init", "-q")
	runGit(t, victim, "add", "a")
	runGit(t, victim, "commit", "-qm", "heron")
	p.keeper.top = disk
	if p.policy, err = permission.NewPolicy(permission.Yolo, p.work); err != nil {
		t.Fatal(err)
	}
	p.policy.Temp = nil // where all of this lies
	t.Setenv("VIRTUAL_ENV", filepath.Join(p.work, ".venv"))
	t.Setenv("PATH", filepath.Join(p.work, "none", "bin")+":"+filepath.Join(disk, "srv", "co", "bin")+":"+filepath.Join(p.work, ".venv", "bin")+":"+os.Getenv("PATH"))
	read := "cat ../victim/a; cat .venv/a; cat none/a; git log; git --git-dir=../victim/.git log; cat ../co/project/a ../../tools/private/a"
	for _, prepare := range []string{
		"mv .venv old; ln -s ../victim .venv", "mkdir -p x; ln -s ../victim none", "echo gitdir: ../victim >.git", "echo gitdir: ../victim/.git >.git", "mkdir g; echo ref: x >g/HEAD; echo ../../victim >g/commondir; echo gitdir: g >.git",
		"git init -q; mkdir -p .git/objects/info; ln -s ../victim objects; echo $PWD/objects >.git/objects/info/alternates", "ln -s ../victim/node_modules/x/tool tool",
	} {
		cmd := exec.Command("sh", "-c", prepare)
		cmd.Dir = p.work
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%s: %s", prepare, out)
		}
		if out, _ := p.sh(t, read); strings.Contains(out, "heron") {
			t.Errorf("%s: %s", prepare, out)
		}
		if out, _ := p.run(t, consent.Unasked, "git", "log"); strings.Contains(out, "heron") {
			t.Errorf("%s: %s", prepare, out)
		}
		os.RemoveAll(filepath.Join(p.work, ".git"))
	}
	if out, _ := p.run(t, consent.Unasked, filepath.Join(disk, "tools", "prog")); out != "ran\n" {
		t.Errorf("a program at the top of the disk: %s", out)
	}
	if out, _ := p.sh(t, "cat ../co/lib/z"); out != "shown" {
		t.Errorf("what lies beside a folder of programs: %s", out)
	}
	if _, shown := p.keeper.Cover(exec.Command(filepath.Join(p.work, "tool")), []string{p.work}); slices.ContainsFunc(shown, func(path string) bool { return below(path, victim) }) {
		t.Errorf("a link to a program opens what is beside that: %v", shown)
	}
	cover, shown := p.keeper.Cover(exec.Command(filepath.Join(disk, "tools", "prog")), nil)
	if !slices.Contains(cover, filepath.Join(disk, "tools")) || slices.Contains(shown, filepath.Join(disk, "tools")) {
		t.Errorf("a seat's program opens its folder: %v, %v", cover, shown)
	}
}

// TestAsideStaysInside: what is moved aside lies in the project, whatever a folder on the way has become meanwhile.
func TestAsideStaysInside(t *testing.T) {
	p := newPlace(t, map[string]string{".bashrc": "mine", "work/d/x": ""})
	again := p.keeper.Watch(p.policy)
	if err := errors.Join(os.RemoveAll(filepath.Join(p.work, "d")), os.Symlink(p.home, filepath.Join(p.work, "d"))); err != nil {
		t.Fatal(err)
	}
	if to := p.keeper.aside(p.policy, filepath.Join(p.work, "d", ".bashrc")); to != "" {
		t.Errorf("moved to %s", to)
	}
	if found := p.keeper.came(p.policy, filepath.Join(p.work, "d", ".bashrc")); found != nil {
		t.Errorf("told of %v", found)
	}
	if text, err := os.ReadFile(filepath.Join(p.home, ".bashrc")); err != nil || string(text) != "mine" {
		t.Errorf("%q, %v", text, err)
	}
	if err := os.Chmod(p.home, 0o300); err != nil {
		t.Fatal(err)
	}
	if err := reopen(p.work, filepath.Join(p.work, "d")); err == nil {
		t.Error("a folder elsewhere was opened")
	}
	if err := os.Chmod(p.home, 0o700); err != nil {
		t.Fatal(err)
	}
	again(true)
}

// TestKilled: what came while a program ran and its process was killed is told by the next one that looks, once.
func TestKilled(t *testing.T) {
	p := newPlace(t, map[string]string{"work/AGENTS.md": "mine"})
	p.keeper.Watch(p.policy)
	p.sh(t, "echo x >CLAUDE.md")
	notes, err := os.ReadDir(p.keeper.watched())
	if err != nil || len(notes) != 1 {
		t.Fatalf("%v, %v", notes, err)
	}
	at := filepath.Join(p.keeper.watched(), notes[0].Name())
	next := &Keeper{Home: p.keeper.Home, Aside: p.keeper.Aside, Deep: true}
	if err := os.Rename(at, at+"x"); err != nil { // as another process's
		t.Fatal(err)
	}
	if found := next.Watch(p.policy)(false); len(found) != 0 {
		t.Errorf("while it lives: %v", found)
	}
	p.keeper.locks.Range(func(_, lock any) bool { return lock.(*flock.Flock).Unlock() == nil })
	if found := next.Watch(p.policy)(false); len(found) != 1 || found[0].Path != filepath.Join(p.work, "CLAUDE.md") {
		t.Errorf("%v", found)
	}
	if found := next.Watch(p.policy)(false); len(found) != 0 {
		t.Errorf("again: %v", found)
	}
}

// TestNewInGit: what git is made to obey is told of and moved, whichever command made it.
func TestNewInGit(t *testing.T) {
	p := newPlace(t, map[string]string{"work/a": "a"})
	runGit(t, p.work, "init", "-q")
	runGit(t, p.work, "add", "a")
	runGit(t, p.work, "commit", "-qm", "first")
	runGit(t, p.work, "commit", "-qm", "second", "--allow-empty")
	for _, made := range []string{"refs/replace/x", "commondir", "config.worktree", "info/attributes", "modules/a/config", "objects/info/alternates"} {
		again := p.keeper.Watch(p.policy)
		p.put(t, "work/.git/"+made, "x")
		if found := again(false); len(found) != 1 || found[0].Aside == "" {
			t.Errorf("%s: %v", made, found)
		}
	}
}

// TestBranchesBring: what steers tools and comes with a branch that was there stays, and nobody is told; with a commit that was
// just made it stays and is told.
func TestBranchesBring(t *testing.T) {
	p := newPlace(t, map[string]string{"work/a": "a", ".gitconfig": "[user]\nname=a\nemail=a@example.com\n"})
	runGit(t, p.work, "-c", "init.defaultBranch=master", "init", "-q")
	runGit(t, p.work, "add", "a")
	runGit(t, p.work, "commit", "-qm", "first")
	runGit(t, p.work, "checkout", "-qb", "more")
	for _, name := range []string{".vscode/tasks.json", "sub/AGENTS.md", ".devcontainer/devcontainer.json"} {
		p.put(t, "work/"+name, "theirs")
	}
	runGit(t, p.work, "add", ".")
	runGit(t, p.work, "commit", "-qm", "second")
	if err := os.Symlink("sub/AGENTS.md", filepath.Join(p.work, "CLAUDE.md")); err != nil {
		t.Fatal(err)
	}
	p.put(t, "work/.gitattributes", "*.rules text eol=crlf\n")
	p.put(t, "work/.rules", "one\ntwo\n")
	runGit(t, p.work, "add", ".")
	runGit(t, p.work, "commit", "-qm", "linked")
	runGit(t, p.work, "checkout", "-qb", "conflict", "-")
	p.put(t, "work/a", "other")
	p.put(t, "work/.envrc", "theirs")
	runGit(t, p.work, "add", ".")
	runGit(t, p.work, "commit", "-qm", "conflicts")
	runGit(t, p.work, "checkout", "-q", "master")
	p.put(t, "work/a", "this")
	runGit(t, p.work, "commit", "-qam", "third")
	conflicting := p.keeper.Watch(p.policy)
	if out, ok := p.run(t, consent.Unasked, "git", "merge", "-q", "conflict"); ok {
		t.Fatalf("no conflict: %s", out)
	}
	if found := conflicting(false); len(found) != 0 {
		t.Errorf("a merge that is not finished: %v", found)
	}
	runGit(t, p.work, "merge", "--abort")
	for _, args := range [][]string{{"checkout", "-q", "more"}, {"merge", "-q", "--no-ff", "-m", "third", "more"}} {
		again := p.keeper.Watch(p.policy)
		if out, ok := p.run(t, consent.Unasked, append([]string{"git"}, args...)...); !ok {
			t.Fatalf("%v: %s", args, out)
		}
		if found := again(false); len(found) != 0 {
			t.Errorf("%v: %v", args, found)
		}
		runGit(t, p.work, "checkout", "-q", "-") // by the person: what steers tools is held
	}
	again := p.keeper.Watch(p.policy)
	p.put(t, "work/.cursorrules", "new")
	runGit(t, p.work, "add", ".")
	runGit(t, p.work, "commit", "-qm", "fourth")
	p.put(t, "work/.envrc", "new")
	if found := again(false); len(found) != 2 || found[0].Aside != "" || found[1].Aside == "" {
		t.Errorf("%v", found)
	}
}

// TestOwnCaches: no cache of the person's can be written, and each project has its own.
func TestOwnCaches(t *testing.T) {
	p := newPlace(t, map[string]string{".cache/go-build/x": "theirs", "go/pkg/mod/cache/download/m/@v/list": "", ".npm/x": "", ".cargo/registry/x": "", ".gradle/caches/x": "", ".m2/repository/x": ""})
	for _, name := range []string{".cache/go-build", "go/pkg/mod", ".npm", ".cargo/registry", ".gradle/caches", ".m2/repository"} {
		if out, ok := p.sh(t, "echo evil >$HOME/"+name+"/x"); ok {
			t.Errorf("%s can be written: %s", name, out)
		}
	}
	out, ok := p.sh(t, `for v in "$GOCACHE" "$GOMODCACHE" "$npm_config_cache" "$PIP_CACHE_DIR" "$GRADLE_USER_HOME" "$XDG_CACHE_HOME"; do mkdir -p "$v" && echo mine >"$v/x" && echo "$v"; done; echo "$GOPROXY"`)
	if lines := strings.Fields(out); !ok || len(lines) != 7 || !strings.HasPrefix(lines[6], "file://"+p.home) {
		t.Errorf("%v %s", ok, out)
	}
	other := p
	other.work = filepath.Join(p.home, "other")
	os.Mkdir(other.work, 0o755)
	other.policy.Workspace = []string{other.work}
	again, _ := other.sh(t, `echo "$GOCACHE"; ls "$GOCACHE"`)
	if strings.Contains(again, "x\n") || strings.Fields(again)[0] == strings.Fields(out)[0] {
		t.Errorf("two projects share %s", again)
	}
}

// TestLogins: a program has its own logins and agents once a person approved its command, and not before.
func TestLogins(t *testing.T) {
	p := newPlace(t, map[string]string{".ssh/id": "key", ".config/gh/hosts.yml": "token", ".kube/config": "k"})
	p.put(t, "bin/gh", "#!/bin/sh\ncat $HOME/.config/gh/hosts.yml; cat $HOME/.kube/config 2>/dev/null; echo $GH_TOKEN")
	t.Setenv("GH_TOKEN", "given")
	t.Setenv("PATH", filepath.Join(p.home, "bin")+":"+os.Getenv("PATH"))
	for by, want := range map[consent.Level]string{consent.Unasked: "\n", consent.Named: "tokengiven\n", consent.Asked: "tokengiven\n"} {
		out, _ := p.run(t, by, filepath.Join(p.home, "bin/gh"))
		if i := strings.LastIndex(out, "directory\n"); i >= 0 {
			out = out[i+len("directory\n"):]
		}
		if out != want {
			t.Errorf("%v: %q, want %q", by, out, want)
		}
	}
	if out, ok := p.run(t, consent.Asked, "cat", filepath.Join(p.home, ".ssh/id")); ok {
		t.Errorf("another program reads it: %s", out)
	}
}
