package confine

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/socrates-cli/socrates/internal/sandbox"
)

// TestLayeredCaches: a check finds the person's caches and what checks of trusted files kept, and what it changes in any of them is
// seen neither by the person nor by a later check.
func TestLayeredCaches(t *testing.T) {
	p := newPlace(t, map[string]string{".cache/go-build/x": "theirs\n", ".npm/x": "theirs\n", "elsewhere/cache/download/m/@v/list": "v1\n"})
	for _, name := range []string{"GOCACHE", "GOPATH", "GOMODCACHE", "GOENV", "npm_config_cache", "XDG_CACHE_HOME", "XDG_CONFIG_HOME"} {
		t.Setenv(name, "")
	}
	p.put(t, ".config/go/env", "GOMODCACHE="+filepath.Join(p.home, "elsewhere")+"\n")
	p.policy.Caches = filepath.Join(p.home, "run", "caches")
	layered := sandbox.Layers(p.home) == nil
	as := func(layer, script string) string {
		t.Helper()
		p.policy.Layers = nil
		for name := range strings.FieldsSeq(layer) {
			at := filepath.Join(p.home, "run", name)
			if err := os.MkdirAll(at, 0o700); err != nil {
				t.Fatal(err)
			}
			p.policy.Layers = append(p.policy.Layers, at)
		}
		out, ok := p.sh(t, script)
		if !ok {
			t.Fatal(out)
		}
		return out
	}
	const read = `cat "$GOCACHE/x" "$GOCACHE/new" "$npm_config_cache/x" "$XDG_CACHE_HOME/new" 2>/dev/null; true`
	const change = `for d in "$GOCACHE" "$npm_config_cache" "$XDG_CACHE_HOME"; do mkdir -p $d && echo forged | tee $d/x >$d/new; done;` +
		`find "$GOCACHE" "$XDG_CACHE_HOME" -type f -exec sh -c 'echo forged >"$0"' {} \;`
	if got := as("first", read); layered && got != "theirs\ntheirs\n" {
		t.Errorf("the person's caches are not found: %q", got)
	}
	const keep = `mkdir -p "$GOCACHE" "$XDG_CACHE_HOME"; echo kept | tee "$GOCACHE/new" >"$XDG_CACHE_HOME/new";` +
		`cat "$GOMODCACHE/cache/download/m/@v/list" || true`
	if got := as("", keep); layered && got != "v1\n" {
		t.Errorf("modules are not found where go's own settings say: %q", got)
	}
	want := as("second", read)
	if strings.Count(want, "kept\n") != 2 {
		t.Errorf("what a trusted check kept is not seen: %q", want)
	}
	if got := as("third", change+";"+read); !strings.Contains(got, "forged\nforged\nforged") {
		t.Errorf("a check cannot change what it sees: %q", got)
	}
	if got := as("fourth", read); got != want {
		t.Errorf("a check sees what another one left: %q, not %q", got, want)
	}
	if got := as("", read); got != want {
		t.Errorf("a trusted check sees what another one left: %q, not %q", got, want)
	}
	const show = `cat "$GOCACHE/built" "$XDG_CACHE_HOME/built" 2>/dev/null; true`
	const build = `echo built | tee "$GOCACHE/built" >"$XDG_CACHE_HOME/built"`
	as("built", build)
	if got := as("fifth built", show+";"+strings.ReplaceAll(build, "echo built", "echo forged")); layered && got != "built\nbuilt\n" {
		t.Errorf("a check does not see what was built for it: %q", got)
	}
	if got := as("built", show); layered && got != "built\nbuilt\n" {
		t.Errorf("a check changed what was built for it: %q", got)
	}
	if got := as("sixth", show); got != "" {
		t.Errorf("a check sees what was built for another one: %q", got)
	}
	for _, name := range []string{".cache/go-build/x", ".npm/x"} {
		if raw, err := os.ReadFile(filepath.Join(p.home, name)); err != nil || string(raw) != "theirs\n" {
			t.Errorf("%s is %q %v", name, raw, err)
		}
	}
}
