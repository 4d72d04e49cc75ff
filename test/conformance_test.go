package test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/socrates-cli/socrates/internal/llm/llmtest/guest"
)

// inexistent are the scenarios of MCP's conformance package that ask for what our server has not, with why.
var inexistent = map[string]string{
	"tools-call-image":              "no tool answers with a picture",
	"tools-call-audio":              "no tool answers with sound",
	"tools-call-embedded-resource":  "no tool embeds a resource",
	"tools-call-mixed-content":      "no tool answers with a picture and a resource",
	"tools-call-with-logging":       "no tool logs: logging is deprecated as of 2026-07-28, and progress tells the same",
	"tools-call-sampling":           "no tool asks the client's model: sampling is deprecated as of 2026-07-28",
	"tools-call-elicitation":        "a form comes only at the end of a tied debate, with other fields; TestScripts/mcpserve answers it in both protocols",
	"elicitation-sep1034-defaults":  "our one form has no fields with defaults of each type",
	"elicitation-sep1330-enums":     "our one form has one list of options",
	"json-schema-2020-12":           "its tool has a schema with $defs and a reference; ours have none",
	"resources-read-binary":         "all resources are text",
	"resources-subscribe":           "a decision does not change once it is there, so nothing is offered to subscribe to",
	"resources-unsubscribe":         "the same",
	"prompts-get-embedded-resource": "no prompt embeds a resource",
	"prompts-get-with-image":        "no prompt has a picture",
}

// conforming are the fixtures of the package's example server in its requests, and what of ours takes their place. Answers are left alone.
var conforming = []string{
	`"name":"test_simple_text"`, `"name":"decisions_search"`,
	`"name":"test_error_handling"`, `"name":"decision_show"`,
	`"name":"test_tool_with_progress","arguments":{}`, `"name":"debate","arguments":{"question":"Should page 123 be dropped or be kept?"}`,
	`"uri":"test://static-text"`, `"uri":"socrates://decision/last"`,
	`"uri":"test://template/123/data"`, `"uri":"socrates://decision/last"`,
	`"name":"test_simple_prompt"`, `"name":"revisit","arguments":{"debate":"last"}`,
	`"arguments":{"arg1":"testValue1","arg2":"testValue2"}`, `"arguments":{"question":"testValue1 or testValue2?"}`,
	`"name":"arg1"`, `"name":"debate"`, // of what is completed
	`"ref":{"type":"ref/prompt","name":"test_prompt_with_arguments"}`, `"ref":{"type":"ref/prompt","name":"revisit"}`,
	`"name":"test_prompt_with_arguments"`, `"name":"debate"`,
}

// TestMCPConformance has the official conformance package examine /mcp of the HTTP server: every scenario but those above passes.
// The package has no tokens and knows its example server alone, so a proxy adds the one and gives the names of ours for those of the other.
// A host or origin that is not the proxy's own comes through as it is: our server has to refuse it.
func TestMCPConformance(t *testing.T) {
	conformance := guest.Path("SOCRATES_TEST_CONFORMANCE")
	if conformance == "" {
		t.Skip("SOCRATES_TEST_CONFORMANCE does not name the program conformance of npm's @modelcontextprotocol/conformance, which needs Node 22")
	}
	home, project := t.TempDir(), t.TempDir()
	seat(t, home)
	run := func(args ...string) *exec.Cmd {
		cmd := exec.CommandContext(t.Context(), ourselves(t), args...)
		cmd.Dir, cmd.Env = project, []string{"HOME=" + home, "PATH=" + os.Getenv("PATH")}
		return cmd
	}
	if out, err := run("debate", "Should page 123 be kept or be dropped?").CombinedOutput(); err != nil && cmdCode(err) != 10 {
		t.Fatalf("%v\n%s", err, out)
	}
	token, err := run("token", "add", "conformance", "--scope", "agent").Output()
	if err != nil {
		t.Fatal(err)
	}
	server := run("serve", "--addr", "127.0.0.1:0")
	told, err := server.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := server.Start(); err != nil {
		t.Fatal(err)
	}
	defer server.Wait()
	defer server.Process.Signal(os.Interrupt)
	proxy := httptest.NewServer(tokened(t, told, strings.TrimSpace(string(token))))
	defer proxy.Close()
	out, kept := new(bytes.Buffer), t.TempDir()
	cmd := exec.CommandContext(t.Context(), conformance, "server", "--url", proxy.URL+"/mcp", "--suite", "all", "-o", kept)
	cmd.Stdout, cmd.Stderr = out, out
	cmd.Run() // it fails with the scenarios that do not apply
	passed := regexp.MustCompile(`(?m)^[✓✗] ([\w-]+): (\d+) passed, (\d+) failed$`).FindAllStringSubmatch(out.String(), -1)
	if len(passed) < 32 {
		t.Fatalf("%d scenarios were run:\n%s", len(passed), out)
	}
	for _, s := range passed {
		why, without := inexistent[s[1]]
		switch failed := s[3] != "0"; {
		case failed && !without:
			t.Errorf("%s failed:\n%s", s[1], checksOf(t, kept, s[1]))
		case !failed && without:
			t.Errorf("%s passes, but is listed: %s", s[1], why)
		case without:
			t.Logf("%s does not apply: %s", s[1], why)
		default:
			t.Logf("%s: %s passed", s[1], s[2])
		}
	}
}

// tokened is the way to the server that says on its stderr where it is.
func tokened(t *testing.T, told io.Reader, token string) http.Handler {
	lines, at := bufio.NewScanner(told), regexp.MustCompile(`http://127\.0\.0\.1:\d+`)
	var base *url.URL
	for base == nil && lines.Scan() {
		if found := at.FindString(lines.Text()); found != "" {
			base, _ = url.Parse(found)
		}
	}
	if base == nil {
		t.Fatal("the server did not say where it is")
	}
	go io.Copy(io.Discard, told)
	names := strings.NewReplacer(conforming...)
	return &httputil.ReverseProxy{FlushInterval: -1, Rewrite: func(r *httputil.ProxyRequest) {
		own := r.In.Context().Value(http.LocalAddrContextKey).(interface{ String() string }).String()
		port := own[strings.LastIndexByte(own, ':'):]
		ours := func(s string) string {
			if rest, ok := strings.CutSuffix(s, port); ok {
				return rest + ":" + base.Port()
			}
			return s
		}
		r.SetURL(base)
		r.Out.Host = ours(r.In.Host)
		if origin := r.In.Header.Get("Origin"); origin != "" {
			r.Out.Header.Set("Origin", ours(origin))
		}
		r.Out.Header.Set("Authorization", "Bearer "+token)
		if r.In.Body == nil {
			return
		}
		body, _ := io.ReadAll(r.In.Body)
		body = []byte(names.Replace(string(body)))
		r.Out.Body, r.Out.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
	}}
}

// checksOf is what a scenario found.
func checksOf(t *testing.T, dir, scenario string) (text string) {
	files, err := filepath.Glob(filepath.Join(dir, "server-"+scenario+"-2*", "checks.json"))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		raw, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var all []struct{ Name, Status, ErrorMessage string }
		if err := json.Unmarshal(raw, &all); err != nil {
			t.Fatal(err)
		}
		for _, one := range all {
			text += one.Name + ": " + one.Status + " " + one.ErrorMessage + "\n"
		}
	}
	return text
}

// cmdCode is the code with which a command ended.
func cmdCode(err error) int {
	if e, ok := err.(*exec.ExitError); ok {
		return e.ExitCode()
	}
	return -1
}
