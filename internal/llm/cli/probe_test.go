package cli_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/socrates-cli/socrates/internal/llm/cli"
)

func TestProbe(t *testing.T) {
	for _, name := range []string{"ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "CLAUDE_CODE_OAUTH_TOKEN", "OPENAI_API_KEY", "CODEX_API_KEY"} {
		t.Setenv(name, "")
	}
	home := t.TempDir()
	t.Setenv("CODEX_HOME", home)
	self, _ := os.Executable()
	if f := cli.Probe(t.Context(), "codex", filepath.Join(home, "nowhere")); f.Path != "" || f.SignedIn != cli.Unknown || f.Why == "" {
		t.Errorf("not installed: %+v", f)
	}
	if f := cli.Probe(t.Context(), "nobody", self); f.Path != "" || f.Why == "" {
		t.Errorf("unknown: %+v", f)
	}
	for _, c := range []struct {
		file, key string
		want      cli.SignedIn
	}{{"", "", cli.No}, {"config.toml", "", cli.Unknown}, {"auth.json", "", cli.Yes}, {"", "k", cli.Yes}} {
		if c.file != "" {
			os.WriteFile(filepath.Join(home, c.file), []byte("model_provider = \"x\""), 0o600)
		}
		t.Setenv("OPENAI_API_KEY", c.key)
		if f := cli.Probe(t.Context(), "codex", self); f.Path != self || f.SignedIn != c.want || f.Why == "" {
			t.Errorf("%+v, want signed in: %s", f, c.want)
		}
	}
}

func TestProgramsAreSortedByName(t *testing.T) {
	for i := 1; i < len(cli.Programs); i++ {
		if cli.Programs[i-1].Name >= cli.Programs[i].Name {
			t.Errorf("%s before %s", cli.Programs[i-1].Name, cli.Programs[i].Name)
		}
	}
}

func TestProbeOfTheRealPrograms(t *testing.T) {
	for _, p := range cli.Programs {
		t.Run(p.Name, func(t *testing.T) {
			o := real(t, p.Name, "http://127.0.0.1:1")
			if f := cli.Probe(t.Context(), p.Name, o.Bin); f.Version == "" {
				t.Errorf("%+v", f)
			}
		})
	}
}
