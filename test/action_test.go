package test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
	"go.yaml.in/yaml/v3"
)

// actionFile is what is read of action.yml.
type actionFile struct {
	Inputs map[string]struct{ Default string }
	Runs   struct{ Steps []actionStep }
}

type actionStep struct {
	Name, ID, If, Shell, Run, Uses string
	Env                            map[string]string
	With                           map[string]string
}

func readAction(t testing.TB) (a actionFile) {
	t.Helper()
	raw, err := os.ReadFile("action.yml")
	if err == nil {
		err = yaml.Unmarshal(raw, &a)
	}
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// Nothing of an event, which strangers write, stands in a script; and secrets never go to the code of forks.
func TestActionTakesEventsAsData(t *testing.T) {
	a := readAction(t)
	for _, s := range a.Runs.Steps {
		if strings.Contains(s.Run, "${{") {
			t.Errorf("the step %q has an expression in its script", s.Name)
		}
	}
	raw, err := os.ReadFile("docs/workflow.yml")
	if err != nil {
		t.Fatal(err)
	}
	var w struct {
		On   string
		Jobs map[string]struct{ Steps []actionStep }
	}
	if err := yaml.Unmarshal(raw, &w); err != nil || w.On != "pull_request" {
		t.Fatalf("on: %q, %v", w.On, err)
	}
	for name, job := range w.Jobs {
		for key := range job.Steps[1].With {
			if _, ok := a.Inputs[key]; !ok {
				t.Errorf("the job %s gives the action %s, which it does not take", name, key)
			}
		}
	}
}

// act runs the steps of action.yml as a runner does, with bash, on the pull request that a file describes as the event of GitHub does:
//
//	act CODE EVENT.json [INPUT=VALUE...]
//
// Steps that use other actions are named on stdout; so are the lines that steps put out.
func act(ts *testscript.TestScript, _ bool, args []string) {
	here, err := filepath.Abs(".")
	ts.Check(err)
	raw, err := os.ReadFile("action.yml")
	ts.Check(err)
	var a actionFile
	ts.Check(yaml.Unmarshal(raw, &a))
	var event any
	ts.Check(json.Unmarshal([]byte(os.Expand(ts.ReadFile(args[1]), ts.Getenv)), &event))
	r := runner{values: map[string]string{"runner.temp": ts.MkAbs("."), "github.token": "t0ken", "github.action_path": here}}
	r.flatten("github", event)
	for name, in := range a.Inputs {
		r.values["inputs."+name] = r.fill(in.Default)
	}
	for _, one := range args[2:] {
		name, value, _ := strings.Cut(one, "=")
		r.values["inputs."+name] = strings.ReplaceAll(value, "|", "\n")
	}
	code := "0"
	for _, s := range a.Runs.Steps {
		if s.If != "" && !r.holds(s.If) {
			continue
		}
		if s.Uses != "" {
			fmt.Fprintf(ts.Stdout(), "uses %s %s\n", s.Uses, r.fill(s.With["path"]))
			continue
		}
		if err := r.step(ts, s); err != nil {
			fmt.Fprintln(ts.Stdout(), "failed:", s.Name)
			code = "1"
			break
		}
	}
	if code != args[0] {
		ts.Fatalf("the action ended with %s, not %s", code, args[0])
	}
}

// runner knows what expressions stand for.
type runner struct{ values map[string]string }

func (r runner) flatten(name string, v any) {
	if m, ok := v.(map[string]any); ok {
		for key, one := range m {
			r.flatten(name+"."+key, one)
		}
		return
	}
	r.values[name] = fmt.Sprint(v)
}

var expression = regexp.MustCompile(`\$\{\{ *([a-z0-9_.-]+) *\}\}`)

func (r runner) fill(text string) string {
	return expression.ReplaceAllStringFunc(text, func(e string) string { return r.values[expression.FindStringSubmatch(e)[1]] })
}

// holds says whether a condition does: NAME == 'VALUE' or NAME != 'VALUE', with && between.
func (r runner) holds(condition string) bool {
	for _, one := range strings.Split(condition, "&&") {
		name, value, differs := strings.Cut(one, "!=")
		if !differs {
			name, value, _ = strings.Cut(one, "==")
		}
		if (r.values[strings.TrimSpace(name)] == strings.Trim(value, " '")) == differs {
			return false
		}
	}
	return true
}

// step runs a script with what it is given, and takes its outputs.
func (r runner) step(ts *testscript.TestScript, s actionStep) error {
	cmd := background(ts, []string{"bash", "-c", s.Run})
	out := ts.MkAbs("github-output")
	ts.Check(os.WriteFile(out, nil, 0o600))
	cmd.Env = append(cmd.Env, "GITHUB_OUTPUT="+out, "GITHUB_STEP_SUMMARY="+ts.MkAbs("summary.md"), "GITHUB_PATH="+ts.MkAbs("github-path"))
	for name, value := range s.Env {
		cmd.Env = append(cmd.Env, name+"="+r.fill(value))
	}
	cmd.Stdout, cmd.Stderr = ts.Stdout(), ts.Stderr()
	err := cmd.Run()
	said, lost := os.ReadFile(out)
	ts.Check(lost)
	for line := range strings.Lines(string(said)) {
		if name, value, ok := strings.Cut(strings.TrimSpace(line), "="); ok && s.ID != "" {
			r.values["steps."+s.ID+".outputs."+name] = value
			fmt.Fprintf(ts.Stdout(), "%s.%s=%s\n", s.ID, name, value)
		}
	}
	return err
}
