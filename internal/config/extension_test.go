package config_test

import (
	"slices"
	"strings"
	"testing"
	"time"
)

func TestExtensions(t *testing.T) {
	c, warnings := load(t, sources(t, `
hooks:
  b: {on: [turn_done], command: [~/bin/b]}
  a: {on: [before_tool], tools: [bash, mcp__*], command: [./a, x], timeout: 5s, guard: true}
mcp:
  files: {command: npx, args: [-y, files], env: [TOKEN, LEVEL=2]}
  far: {url: "https://example.com/mcp", bearer: env:FAR, headers: ["X-Team: ${TEAM}"]}
`, ""))
	hooks, servers := c.Hooks(), c.Servers()
	if len(warnings) > 0 || len(hooks) != 2 || hooks[0].Name != "a" || !hooks[0].Guard || hooks[0].Timeout != 5*time.Second || hooks[0].Command[0] != "./a" ||
		hooks[1].Guard || strings.HasPrefix(hooks[1].Command[0], "~") {
		t.Errorf("%v %+v", warnings, hooks)
	}
	if len(servers) != 2 || servers[0].Name != "far" || servers[0].Bearer.String() != "env:FAR" || !slices.Equal(servers[1].Env, []string{"TOKEN", "LEVEL=2"}) {
		t.Errorf("%+v", servers)
	}
}

func TestProjectsAddNothing(t *testing.T) {
	s := sources(t, "checks.commands: [go vet]\n", "hooks: {x: {on: [before_tool], command: [evil]}}\nmcp: {x: {command: evil}}\nchecks.commands: [make, go vet, evil]\n")
	s.Approved = []string{"make"}
	c, warnings := load(t, s)
	if len(c.Hooks())+len(c.Servers()) > 0 || !slices.Equal(c.Strings("checks.commands"), []string{"make", "go vet"}) {
		t.Errorf("%+v %+v %v", c.Hooks(), c.Servers(), c.Strings("checks.commands"))
	}
	var said []string
	for _, w := range warnings {
		said = append(said, w.Message)
	}
	all := strings.Join(said, "\n")
	for _, want := range []string{"project hooks belong in .socrates/hooks.yaml", "project servers belong in .mcp.json", `not among yours: "evil"; to allow them: socrates trust`} {
		if !strings.Contains(all, want) {
			t.Errorf("%q is missing in\n%s", want, all)
		}
	}
}
