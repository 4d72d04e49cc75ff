package teller

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/socrates-cli/socrates/cmd/call"
	"github.com/socrates-cli/socrates/internal/engine/turns"
	"github.com/socrates-cli/socrates/internal/event"
	"github.com/socrates-cli/socrates/internal/scene"
	"github.com/socrates-cli/socrates/internal/talk"
	"github.com/socrates-cli/socrates/internal/talk/asking"
	"github.com/socrates-cli/socrates/internal/tool"
	"github.com/socrates-cli/socrates/internal/tree"
)

// A turn that waits for a person says for what, and only what is asked for; a question of a tool is told, too.
func TestAPermissionIsTold(t *testing.T) {
	var mu sync.Mutex
	var lines []string
	s := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		mu.Lock()
		defer mu.Unlock()
		lines = append(lines, string(body))
	}))
	defer s.Close()
	hook := event.Hook{Name: "1", URL: s.URL, On: []event.Name{event.Permit, event.TurnDone}}
	told := &Turns{Outside: Outside{call.New(), "turn", event.NewTeller([]event.Hook{hook}, func(_ event.Hook, _ event.Event, err error) { t.Error(err) })}}
	run := &scene.Run{}
	hear := func(n tree.Node) { told.Hear(n, run.Node(n)) }
	told.Begin(turns.Conditions{Tree: "work", Dir: "/p", Model: "m", Phase: "chat", Mode: "balanced"}, run)
	hear(talk.SayKind.New("", "person", talk.Said{Text: "commit it"}))
	hear(asking.NeedKind.New("", "code", asking.Need{Tool: "bash", Reason: "git commit changes the repository",
		Parts: []asking.Part{{Text: "git status"}, {Text: "git commit -m x", Asked: true}}}))
	hear(asking.NeedKind.New("", "code", asking.Need{Question: &tool.Question{Text: "Which branch?"}}))
	told.Close(false)
	if len(lines) != 2 {
		t.Fatalf("heard %q", lines)
	}
	for i, want := range []string{
		`"type":"dev.socrates.permission.asked","subject":"work"|"said":"commit it"|"tool":"bash","asks":["git commit -m x"],"why":"git commit changes the repository","calls":0`,
		`"asks":["Which branch?"],"calls":0`} {
		for part := range strings.SplitSeq(want, "|") {
			if !strings.Contains(lines[i], part) {
				t.Errorf("%s does not say %s", lines[i], part)
			}
		}
	}
}
