package test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/socrates-cli/socrates/internal/llm/llmtest/guest"
)

// npmACP names the folder in whose node_modules npm put what speaks the Agent Client Protocol.
const npmACP = "SOCRATES_TEST_ACP"

// anEditor is a folder with the client of testdata/acp, the models that it talks to, and a project; and who runs programs there.
func anEditor(t *testing.T) (dir string, run func(program string, args ...string) ([]byte, error)) {
	if guest.Path(npmACP) == "" {
		t.Skip(npmACP + " names no folder in which npm installed @agentclientprotocol/sdk")
	}
	dir = t.TempDir()
	if err := os.CopyFS(dir, os.DirFS("test/testdata/acp")); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(filepath.Join(os.Getenv(npmACP), "node_modules"), filepath.Join(dir, "node_modules")); err != nil {
		t.Fatal(err)
	}
	home, project := filepath.Join(dir, "home"), filepath.Join(dir, "project")
	write(t, filepath.Join(home, ".config/socrates/config.yaml"),
		fmt.Sprintf("seats: [rehearsal]\nchat: {model: %q}\n", "script:"+filepath.Join(dir, "worker.yaml")))
	write(t, filepath.Join(project, "store.go"), "package store\n\n// Sessions live in memory.\nfunc Session() {}\n")
	return dir, func(program string, args ...string) ([]byte, error) {
		cmd := exec.CommandContext(t.Context(), program, args...)
		cmd.Dir, cmd.Env = project, []string{"HOME=" + home, "PATH=" + os.Getenv("PATH")}
		return cmd.CombinedOutput()
	}
}

// TestACPSDK has the protocol's own TypeScript SDK be the editor: sessions, options, permissions, cancels, debates, forks, two processes.
func TestACPSDK(t *testing.T) {
	dir, run := anEditor(t)
	out, err := run("node", filepath.Join(dir, "client.mjs"), ourselves(t), filepath.Join(dir, "project"))
	if err != nil || !strings.Contains(string(out), " checks, 0 findings") {
		t.Errorf("%v\n%s", err, out)
	}
}

// TestACPX has acpx talk to us, as a script does: a debate in one go; and a session whose model, mode and options are set.
func TestACPX(t *testing.T) {
	dir, run := anEditor(t)
	acpx := filepath.Join(dir, "node_modules", ".bin", "acpx")
	if out, err := run(acpx, "--version"); err != nil {
		t.Skipf("acpx does not start: it needs Node 22.13: %v\n%s", err, out)
	}
	agent := ourselves(t) + " acp"
	for _, step := range []struct {
		args string
		want []string
	}{
		{"--approve-all exec", []string{"rehearsal-skeptic", "## Dissent", "socrates debate show", "[done] end_turn"}},
		{"sessions new", []string{"created session"}},
		{"set-mode paranoid", []string{"mode set: paranoid"}},
		{"set strategy delphi", []string{"strategy=delphi"}},
		{"set model rehearsal", []string{"model set: rehearsal"}},
		{"set model script:" + filepath.Join(dir, "worker.yaml"), []string{"model set: script:"}},
		{"--deny-all touch", []string{"(failed)", "[done] end_turn"}},
		{"sessions list", []string{"touch"}},
		{"sessions close", nil},
	} {
		args := append([]string{"--agent", agent, "--ttl", "1"}, strings.Fields(step.args)...)
		if step.args == "--approve-all exec" {
			args = append(args, "/debate Should sessions live in memory or in a file?")
		}
		out, err := run(acpx, args...)
		if code := cmdCode(err); err != nil && !(code == 5 && strings.HasPrefix(step.args, "--deny-all")) { // 5: a call was denied
			t.Errorf("acpx %s: %v\n%s", step.args, err, out)
		}
		for _, want := range step.want {
			if !strings.Contains(string(out), want) {
				t.Errorf("acpx %s does not say %q:\n%s", step.args, want, out)
			}
		}
	}
	if _, err := os.Stat(filepath.Join(dir, "project", "made")); err == nil {
		t.Error("a command ran that was denied")
	}
}
