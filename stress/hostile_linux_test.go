package stress_test

import (
	"bytes"
	"context"
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/socrates-cli/socrates/internal/project/sensitive"
	"github.com/socrates-cli/socrates/internal/sandbox"
)

//go:embed testdata/hostile/*.txt
var hostile embed.FS

// attempt is one thing a hostile program tries.
type attempt struct {
	class, name, kind, script string
	file                      string // its name inside a project
}

const prelude = `import os,sys,socket,ctypes
E=os.environ; H=E['HOME']; W=E['W']; P=E['P']; O=E['O']; T=E['T']; TOK=E['TOK']; VIC=E['VIC']; SOCK=E['SOCK']; ABS=E['ABS']; HOSTIP=E['HOSTIP']
PORT=int(E['PORT']); PORT6=int(E['PORT6']); UPORT=int(E['UPORT']); SPORT=int(E['SPORT'])
L=ctypes.CDLL(None,use_errno=True); socket.setdefaulttimeout(2)
`

// attempts reads the table. Every place of a home that holds secrets adds one.
func attempts(t *testing.T) (out []attempt) {
	for _, class := range []string{"outside", "secrets", "git", "processes", "network", "limits"} {
		data, err := hostile.ReadFile("testdata/hostile/" + class + ".txt")
		must(t, err)
		for _, block := range strings.Split("\n"+string(data), "\n== ")[1:] {
			head, script, _ := strings.Cut(block, "\n")
			name, kind, ok := strings.Cut(head, " | ")
			if !ok || strings.TrimSpace(script) == "" {
				t.Fatalf("%s: %q makes no attempt", class, block)
			}
			out = append(out, attempt{class: class, name: name, kind: kind, script: script})
		}
		if class == "secrets" {
			names := sensitive.HomeSecrets()
			slices.Sort(names)
			for _, name := range names {
				out = append(out, attempt{class: class, name: "~/" + name, kind: "sh", script: fmt.Sprintf("cat \"$HOME/%[1]s\" \"$HOME/%[1]s\"/*; grep -rs heron \"$HOME/%[1]s\"; ln -s \"$HOME/%[1]s\" sec%[2]d; cat sec%[2]d sec%[2]d/*", name, len(out))})
			}
		}
	}
	seen := map[string]bool{}
	for i := range out {
		a := &out[i]
		if a.file = fmt.Sprintf("%03d.%s", i, a.kind); a.kind == "py" {
			a.script = prelude + a.script
		}
		if seen[a.class+a.name] {
			t.Fatalf("%s: %s twice", a.class, a.name)
		}
		seen[a.class+a.name] = true
	}
	return out
}

// gaps are the attempts that are known to get through, and why. Each has to: who closes one takes it out of here.
var gaps = map[string]string{
	"the person's temporary files":   "all of the person's temporary folder can be written",
	"a temporary file that stays":    "all of the person's temporary folder can be written",
	"a temporary folder that stays":  "all of the person's temporary folder can be written",
	"command lines of all":           "programs see the words of others",
	"command lines by ps":            "programs see the words of others",
	"steering in what was installed": "what packages bring is not looked at, only repositories are",
}

// outcome is what became of attempts.
type outcome string

const (
	byGate    outcome = "held by the gate"
	bySandbox outcome = "held by the sandbox"
	told      outcome = "moved aside or reported"
	through   outcome = "through"
)

// TestHostile has a hostile program try all there is to try, as a test of the project that an agent runs unasked, and looks
// from outside at what came of it. SOCRATES_STRESS=full tries each attempt by itself, in every mode, also as a command that
// the gate reads.
func TestHostile(t *testing.T) {
	if why := unfit(); why != "" {
		t.Skip(why)
	}
	bin := programs(t)
	all := attempts(t)
	if len(all) < 200 {
		t.Errorf("%d attempts are too few", len(all))
	}
	full := os.Getenv("SOCRATES_STRESS") == "full"
	for i, mode := range []string{"balanced", "yolo"} {
		if !full {
			t.Run(mode, func(t *testing.T) {
				t.Parallel()
				together(t, bin, mode, some(all, i))
			})
			continue
		}
		for class, these := range byClass(all) {
			t.Run(mode+"/"+class, func(t *testing.T) {
				t.Parallel()
				oneByOne(t, bin, mode, class, these)
			})
		}
	}
	if !full {
		return
	}
	for _, mode := range []string{"plan", "paranoid"} {
		t.Run(mode, func(t *testing.T) { // no program of the project runs unasked
			t.Parallel()
			w := newWorld(t, bin)
			w.lay(t, all)
			w.look(t)
			c := w.bash(t, mode, "go test ./...")
			if w.judge(t, attempt{}, c) != byGate || w.made() > 0 {
				t.Errorf("exit %d, %d attempts were made: %.2000s", c.code, w.made(), c.text)
			}
		})
	}
	for _, mode := range []string{"plan", "paranoid", "balanced", "yolo"} {
		for class, these := range byClass(all) {
			t.Run("words/"+mode+"/"+class, func(t *testing.T) {
				t.Parallel()
				asWords(t, bin, mode, class, these)
			})
		}
	}
}

// some are a part of the attempts, the same in every run. Those that leave no room for others are not among them.
func some(all []attempt, from int) (out []attempt) {
	for i, a := range all {
		if i%8 == 4*from && gaps[a.name] == "" && a.class != "limits" && !strings.HasPrefix(a.name, "many") {
			out = append(out, a)
		}
	}
	return out
}

func byClass(all []attempt) map[string][]attempt {
	out := map[string][]attempt{}
	for _, a := range all {
		out[a.class] = append(out[a.class], a)
	}
	return out
}

// unfit says why nothing can be tried here.
func unfit() string {
	if testing.Short() {
		return "takes many seconds"
	}
	r := sandbox.Probe(context.Background())
	switch {
	case r.Files.Level != sandbox.Held || r.Network.Level != sandbox.Held:
		return "there is no sandbox: " + r.Files.Say
	case r.Protect.Level != sandbox.Held:
		return "there are no namespaces: " + r.Protect.Say
	}
	for _, name := range []string{"git", "bash"} {
		if _, err := exec.LookPath(name); err != nil {
			return err.Error()
		}
	}
	return ""
}

// programs makes a folder with what everybody runs: Socrates, and this binary, also under the name of go.
func programs(t *testing.T) string {
	top, err := os.MkdirTemp("", "hostile-")
	must(t, err)
	t.Cleanup(func() { os.RemoveAll(top) })
	bin := filepath.Join(top, "bin")
	must(t, errors.Join(os.Chmod(top, 0o755), os.Mkdir(bin, 0o755)))
	program, err := built()
	must(t, err)
	for name, from := range map[string]string{"socrates": program, "inner": "/proc/self/exe"} {
		data, err := os.ReadFile(from)
		must(t, errors.Join(err, os.WriteFile(filepath.Join(bin, name), data, 0o755)))
	}
	must(t, os.Symlink("inner", filepath.Join(bin, "go")))
	return bin
}

// call is what one call of bash came to.
type call struct {
	code   int
	text   string
	most   int64 // bytes of memory that the largest process had
	passed bool  // the gate let it
}

func (w *world) bash(t *testing.T, mode, command string) call {
	args, _ := json.Marshal(map[string]any{"command": command, "timeout_seconds": 300})
	cmd := w.as(filepath.Join(w.dir, "bin", "socrates"), "tool", "bash", "--mode", mode, "--json", string(args))
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	cmd.WaitDelay = 2e9
	cmd.Run()
	c := call{code: cmd.ProcessState.ExitCode(), text: out.String(), passed: cmd.ProcessState.ExitCode() != 6}
	if u, ok := cmd.ProcessState.SysUsage().(*syscall.Rusage); ok {
		c.most = int64(u.Maxrss) << 10
	}
	return c
}

// lay puts attempts into the project, as files of it.
func (w *world) lay(t *testing.T, these []attempt) {
	dir := filepath.Join(w.project, "attempts")
	must(t, errors.Join(os.RemoveAll(dir), os.MkdirAll(dir, 0o755), os.WriteFile(filepath.Join(dir, "env"), []byte(strings.Join(w.env, "\n")), 0o644)))
	for _, a := range these {
		must(t, os.WriteFile(filepath.Join(dir, a.file), []byte(a.script), 0o644))
	}
}

// made counts the attempts that came to their end.
func (w *world) made() (n int) {
	for _, kind := range []string{"sh", "py", "call"} {
		all, _ := filepath.Glob(filepath.Join(w.project, "loot", "[0-9][0-9][0-9]."+kind))
		for _, file := range all {
			if text, _ := os.ReadFile(file); bytes.Contains(text, []byte("ended: ")) {
				n++
			}
		}
	}
	return n
}

// together makes all in one call.
func together(t *testing.T, bin, mode string, these []attempt) {
	w := newWorld(t, bin)
	w.lay(t, these)
	w.look(t)
	c := w.bash(t, mode, "go test ./...")
	if n := w.made(); n != len(these) {
		t.Errorf("%d of %d attempts were made: exit %d\n%.3000s", n, len(these), c.code, c.text)
	}
	for _, found := range w.found(t, c) {
		t.Errorf("%s", found)
	}
}

// oneByOne makes each in a world of its own, and counts.
func oneByOne(t *testing.T, bin, mode, class string, these []attempt) {
	counts := map[outcome]int{}
	for _, a := range these {
		t.Run(a.name, func(t *testing.T) {
			w := newWorld(t, bin)
			w.lay(t, []attempt{a})
			w.look(t)
			c := w.bash(t, mode, "go test ./...")
			if c.passed && w.made() != 1 {
				t.Errorf("it was not made: exit %d\n%.2000s", c.code, c.text)
			}
			counts[w.judge(t, a, c)]++
		})
	}
	report(t, mode, class, counts)
}

// asWords has the gate read those that are shell scripts. Reaching out is not tried in yolo: there it is allowed.
func asWords(t *testing.T, bin, mode, class string, these []attempt) {
	counts := map[outcome]int{}
	for _, a := range these {
		if a.kind != "sh" || mode == "yolo" && (class == "network" || class == "git") {
			continue
		}
		t.Run(a.name, func(t *testing.T) {
			w := newWorld(t, bin)
			w.lay(t, nil)
			w.look(t)
			counts[w.judge(t, a, w.bash(t, mode, strings.Join(w.env, "\n")+"\n"+a.script))]++
		})
	}
	report(t, "words/"+mode, class, counts)
}

func report(t *testing.T, mode, class string, counts map[outcome]int) {
	var parts []string
	for _, o := range slices.Sorted(maps.Keys(counts)) {
		parts = append(parts, fmt.Sprintf("%d %s", counts[o], o))
	}
	t.Logf("TABLE %s %s: %s", mode, class, strings.Join(parts, ", "))
}

func (w *world) judge(t *testing.T, a attempt, c call) outcome {
	all, gap := w.found(t, c), gaps[a.name]
	for _, found := range all {
		if gap == "" {
			t.Errorf("%s", found)
		}
	}
	if gap != "" {
		t.Logf("a gap, because %s: %d", gap, len(all))
	}
	switch {
	case len(all) > 0:
		return through
	case !c.passed:
		return byGate
	case c.code == 13:
		return told
	}
	return bySandbox
}

// look remembers how everything is.
func (w *world) look(t *testing.T) {
	w.before = w.outside(t)
	maps.Copy(w.before, w.steering(t))
}

// found is what got through.
func (w *world) found(t *testing.T, c call) (out []string) {
	for _, p := range w.settled() {
		out = append(out, "a process stayed: "+p)
	}
	after := w.outside(t)
	maps.Copy(after, w.steering(t))
	for _, d := range differences(w.before, after) {
		if path, _, _ := strings.Cut(d, ": "); !(c.code == 13 && strings.Contains(c.text, path+" was changed")) {
			out = append(out, "changed: "+d)
		}
	}
	if n := w.reached.Load(); n > 0 {
		out = append(out, fmt.Sprintf("a server was reached %d times", n))
	}
	if now := w.victimIs(); now != w.victimWas {
		out = append(out, "the victim is not as it was: "+now+"\nwas\n"+w.victimWas)
	}
	out = append(out, w.told(t, c)...)
	w.obey(t)
	if _, err := os.Lstat(filepath.Join(w.home, "PWNED")); err == nil {
		out = append(out, "a program of the person ran what was planted")
	}
	if entries, _ := filepath.Glob(filepath.Join(w.temp, "socrates-*", "*")); len(entries) > 0 {
		out = append(out, fmt.Sprintf("temporary folders stayed: %v", entries))
	}
	if c.most > 700<<20 {
		out = append(out, fmt.Sprintf("a process grew to %d MiB", c.most>>20))
	}
	return out
}

// told are the secrets that turn up in what came out, and what of attempts says by being there that it got through.
func (w *world) told(t *testing.T, c call) (out []string) {
	search := func(where, text string) {
		if !strings.Contains(text, "heron"+w.token) {
			return
		}
		for secret, name := range w.secrets {
			if at := strings.Index(text, secret); at >= 0 {
				out = append(out, fmt.Sprintf("the secret %s is in %s", name, where))
			}
		}
	}
	search("the output", c.text)
	planted := map[string]bool{}
	for _, name := range w.secrets {
		planted[filepath.Join(w.dir, name)] = true
	}
	roots := []string{w.project, w.temp}
	more, _ := filepath.Glob(filepath.Join(w.home, ".cache/socrates/caches/*"))
	for _, root := range append(roots, more...) {
		filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
			if err != nil || !d.Type().IsRegular() || planted[path] {
				return nil
			}
			info, err := d.Info()
			if err != nil || info.Size() > 64<<20 {
				out = append(out, fmt.Sprintf("%s is as large as nothing may be", path))
				return nil
			}
			data, _ := os.ReadFile(path)
			search(path, string(data))
			switch name := filepath.Base(path); {
			case info.Size() > 16<<20:
				out = append(out, fmt.Sprintf("%s has %d MiB", path, info.Size()>>20))
			case strings.HasPrefix(name, "raised") || name == "grown" || name == "grown2" || name == "ring" || name == "key":
				out = append(out, "an attempt left "+path)
			}
			return nil
		})
	}
	return out
}

// obeyed are names that agents, editors, git and shells obey: a list of its own, so that what ours lacks is seen.
var obeyed = strings.Fields(`.git .gitmodules .gitconfig agents.md claude.md gemini.md qwen.md .cursorrules .clinerules .goosehints .mcp.json .windsurfrules .rules opencode.json .claude .codex .gemini .cursor .vscode
	.idea .zed .opencode .qwen .agents .socrates .husky .bashrc .profile .envrc .zshrc .inputrc .tmux.conf .curlrc .wgetrc mise.toml .mise.toml .vimrc .exrc .nvimrc .nvim.lua .dir-locals.el .ripgreprc git~1`)

// steering describes what in the project is obeyed, and all of what belongs to git.
func (w *world) steering(t *testing.T) map[string]string {
	out := map[string]string{}
	filepath.WalkDir(w.project, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return nil
		}
		rel := strings.TrimPrefix(path, w.project+"/")
		for part := range strings.SplitSeq(rel, "/") {
			if slices.Contains(obeyed, strings.ToLower(strings.TrimRight(part, ". "))) {
				out[path] = described(path)
			}
		}
		return nil
	})
	out[w.project+"/docs/real.md"] = described(w.project + "/docs/real.md")
	return out
}

// obey has the person's git look at everything that could be a repository.
func (w *world) obey(t *testing.T) {
	var dirs []string
	filepath.WalkDir(w.project, func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.IsDir() && d.Name() != ".git" && len(dirs) < 100 {
			_, e1 := os.Lstat(filepath.Join(path, ".git"))
			_, e2 := os.Lstat(filepath.Join(path, "HEAD"))
			if e1 == nil || e2 == nil {
				dirs = append(dirs, path)
			}
		}
		return nil
	})
	for _, dir := range dirs {
		cmd := w.as("git", "status", "--porcelain")
		cmd.Dir = dir
		cmd.Run()
	}
}
