package cli

import (
	"bytes"
	"cmp"
	"context"
	_ "embed"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/socrates-cli/socrates/internal/llm"
	"github.com/socrates-cli/socrates/internal/llm/cost"
	"github.com/socrates-cli/socrates/internal/llm/trouble"
)

// pi answers by the program of that name, over its rpc mode. It serves many vendors' models: Options.Model is
// "provider/model". Request.System replaces its own system prompt; Request.Tools and Request.MaxTokens have no
// effect. An extension of ours makes it read only below Request.Dir.
var pi = Program{
	Name:   "pi",
	launch: launchPi, sees: piSees, signedIn: piSignedIn, chosen: piChosen, reach: piReach, prepare: preparePi, extra: piExtra,
	skim:  piSkim,
	speak: func(Options) dialect { return &piTalk{} },
}

// launchPi allows the tools that read, or none. Sessions, extensions, skills and whatever it finds in the folder are
// off: each could run something.
func launchPi(o Options, req llm.Request) (args, env []string) {
	args = []string{"--mode", "rpc", "--no-session", "--no-extensions", "--no-skills", "--no-prompt-templates",
		"--no-context-files", "--no-themes", "--offline"}
	if req.Dir == "" {
		args = append(args, "--no-tools")
	} else {
		args = append(args, "--tools", "read,grep,find,ls")
	}
	if o.Model != "" {
		args = append(args, "--model", o.Model)
	}
	if req.Effort != "" {
		args = append(args, "--thinking", req.Effort)
	}
	if req.System != "" {
		args = append(args, "--system-prompt", req.System)
	}
	env = []string{"PI_OFFLINE=1", "PI_SKIP_VERSION_CHECK=1", "PI_TELEMETRY=0"}
	if o.Home != "" {
		env = append(env, "PI_CODING_AGENT_DIR="+o.Home)
	}
	return args, env
}

// piKeys are the variables in which it looks for a key. GitHub's general ones are left out: they give access to more
// than models.
var piKeys = []string{"ANTHROPIC_OAUTH_TOKEN", "ANTHROPIC_API_KEY", "OPENAI_API_KEY", "GEMINI_API_KEY", "DEEPSEEK_API_KEY",
	"XAI_API_KEY", "GROQ_API_KEY", "MISTRAL_API_KEY", "OPENROUTER_API_KEY", "CEREBRAS_API_KEY", "AI_GATEWAY_API_KEY",
	"ZAI_API_KEY", "MINIMAX_API_KEY", "MINIMAX_CN_API_KEY", "MOONSHOT_API_KEY", "KIMI_API_KEY", "OPENCODE_API_KEY",
	"FIREWORKS_API_KEY", "HF_TOKEN", "CLOUDFLARE_API_KEY", "XIAOMI_API_KEY", "COPILOT_GITHUB_TOKEN", "AZURE_OPENAI_API_KEY"}

// piSees lets the program see its own variables, the keys it knows and those its models.json names.
func piSees(o Options, env environ) func(string) bool {
	seen := append([]string{"PI_*", "AZURE_OPENAI_*", "CLOUDFLARE_ACCOUNT_ID", "CLOUDFLARE_GATEWAY_ID"}, piKeys...)
	folder := o.Home
	if folder == "" {
		folder = piFolder(env)
	}
	var models struct {
		Providers map[string]struct{ APIKey string }
	}
	readJSON(filepath.Join(folder, "models.json"), &models)
	for _, p := range models.Providers {
		seen = append(seen, p.APIKey)
	}
	return func(name string) bool { return matches(name, seen) }
}

// piReach allows any vendor's host; endpoints that its own files name are found there.
func piReach(env environ, o Options) reach {
	folder := cmp.Or(o.Home, piFolder(env))
	return reach{state: []string{folder}, hosts: vendorHosts,
		settings: []string{filepath.Join(folder, "models.json"), filepath.Join(folder, "settings.json")}}
}

// piFolder returns the folder with its login, settings and models.
func piFolder(env environ) string {
	if folder := env["PI_CODING_AGENT_DIR"]; folder != "" {
		return folder
	}
	home, _ := os.UserHomeDir()
	return filepath.Join(home, ".pi", "agent")
}

// piChosen reads the model the user picked in the program.
func piChosen(env environ) string {
	var is struct{ DefaultProvider, DefaultModel string }
	readJSON(filepath.Join(piFolder(env), "settings.json"), &is)
	if is.DefaultProvider != "" && is.DefaultModel != "" {
		return is.DefaultProvider + "/" + is.DefaultModel
	}
	return is.DefaultModel
}

// piSignedIn prefers the login the program made itself.
func piSignedIn(env environ) (SignedIn, string) {
	folder := piFolder(env)
	var logins map[string]any
	if file := filepath.Join(folder, "auth.json"); readJSON(file, &logins) && len(logins) > 0 {
		return Yes, "signed in through " + file
	}
	for _, name := range piKeys {
		if env[name] != "" {
			return Yes, name + " is set"
		}
	}
	if exists(filepath.Join(folder, "models.json")) {
		return Unknown, "its models.json defines its own providers"
	}
	return No, "not signed in: start pi once and use /login, or set a provider's key"
}

// preparePi writes the extension. It refuses a folder whose settings name a command: the program may run that when it
// starts, and no flag prevents it.
func preparePi(h *home, o Options, req llm.Request) ([]string, error) {
	file := filepath.Join(o.Hold.seen(req.Dir), ".pi", "settings.json")
	var is struct{ NpmCommand json.RawMessage }
	if req.Dir != "" && exists(file) && (!readJSON(file, &is) || is.NpmCommand != nil) {
		return nil, &trouble.Error{Kind: trouble.BadRequest,
			Message: "pi would run npmCommand from this folder's .pi/settings.json: remove it, or leave pi out of the panel"}
	}
	h.write(piExtensionName, piExtension)
	return nil, nil
}

// piExtension limits pi's tools to files below the folder; otherwise they would read whatever the user can. A pi that
// cannot load it does not start. It also makes pi write only the new part of an update instead of the whole message.
//
//go:embed pi-extension.mjs
var piExtension string

// piExtensionName is the extension's file in the home of a process.
const piExtensionName = "socrates.mjs"

// piExtra loads it although extensions are off: that flag is about those pi would find.
func piExtra(folder string) []string {
	return []string{"--extension", filepath.Join(folder, piExtensionName)}
}

// piTalk speaks the rpc mode: commands and events, one a line.
type piTalk struct {
	dir    string
	schema bool
	serial int            // of the turn, so that a late answer to the previous turn closes nothing
	said   bool           // part of the current message was streamed
	last   piMessage      // the last complete one
	spent  cost.Usage     // in this turn
	failed *trouble.Error // how the last attempt ended, while it may still be repeated
}

// piLine is what we read of a line, of any type.
type piLine struct {
	Type    string
	ID      string
	Command string
	Success bool
	Event   struct{ Type, Delta string } `json:"assistantMessageEvent"`
	Message piMessage

	ToolName string
	Args     map[string]any

	Attempt      int
	DelayMs      float64
	ErrorMessage string
	FinalError   string
	Method       string
	Error        json.RawMessage
}

// piMessage is a message as the program stores it. StopReason is "error" or "aborted" if it failed.
type piMessage struct {
	Role, Model, StopReason, ErrorMessage, ResponseID string
	Content                                           json.RawMessage
	Usage                                             struct {
		Input, Output, CacheRead, CacheWrite int
		Cost                                 struct{ Total float64 }
	}
}

// text returns the message without thoughts and calls.
func (m piMessage) text() string {
	var parts []struct{ Type, Text string }
	json.Unmarshal(m.Content, &parts) // content may also be a string, which only users write
	var out string
	for _, p := range parts {
		if p.Type == "text" {
			out += p.Text
		}
	}
	return out
}

// open has nothing to send: everything is in the arguments.
func (c *piTalk) open(_ context.Context, _ *process, req llm.Request) error {
	c.dir = req.Dir
	return nil
}

// ask sends a prompt. It clears the state of the last turn except its number.
func (c *piTalk) ask(ctx context.Context, p *process, in prompt, req llm.Request) error {
	*c = piTalk{dir: c.dir, serial: c.serial + 1, schema: req.Schema != nil}
	say := object{"id": c.id("prompt"), "type": "prompt", "message": withSchema(in.text, req.Schema)}
	var images []object
	for _, img := range in.images {
		images = append(images, object{"type": "image", "mimeType": img.MIME, "data": base64.StdEncoding.EncodeToString(img.Data)})
	}
	if images != nil {
		say["images"] = images
	}
	return p.send(ctx, say)
}

// id names a command of this turn.
func (c *piTalk) id(command string) string { return fmt.Sprintf("%s-%d", command, c.serial) }

// interrupt makes the current message end as "aborted", which closes the turn.
func (c *piTalk) interrupt(ctx context.Context, p *process) error {
	return p.send(ctx, object{"type": "abort"})
}

// hear handles events by their type. The end of the agent is not always the end of the turn: see end.
func (c *piTalk) hear(ctx context.Context, p *process, line []byte, say func(llm.Delta)) (*llm.End, error) {
	var l piLine
	if ok, err := decode(p, line, &l); !ok {
		return nil, err
	}
	switch l.Type {
	case "message_update":
		c.update(l, say)
	case "message_end":
		if l.Message.Role == "assistant" {
			c.message(l.Message)
			spent := c.spent
			say(llm.Delta{Usage: &spent})
		}
	case "tool_execution_start":
		say(llm.Delta{Note: action(c.dir, l.ToolName, l.Args)})
	case "auto_retry_start":
		cause := classify(statusOf(l.ErrorMessage), l.ErrorMessage, trouble.Network)
		c.failed = nil
		say(llm.Delta{Retry: &llm.Retry{Attempt: l.Attempt, Wait: time.Duration(l.DelayMs * float64(time.Millisecond)), Err: cause}})
	case "auto_retry_end":
		if !l.Success {
			return nil, classify(statusOf(l.FinalError), l.FinalError, trouble.BadRequest)
		}
	case "agent_end":
		return c.end(ctx, p, say)
	case "response":
		return nil, c.answered(l)
	case "extension_ui_request": // a question to a person who is not there
		return nil, p.send(ctx, object{"type": "extension_ui_response", "id": l.ID, "cancelled": true})
	}
	return nil, nil
}

// update forwards a piece of a message that is being written.
func (c *piTalk) update(l piLine, say func(llm.Delta)) {
	switch l.Event.Type {
	case "text_delta":
		if !c.said && c.last.text() != "" {
			say(llm.Delta{Text: "\n\n"})
		}
		c.said = c.said || l.Event.Delta != ""
		say(llm.Delta{Text: l.Event.Delta})
	case "thinking_delta":
		say(llm.Delta{Think: l.Event.Delta})
	}
}

// message processes a complete message of the model. A failure shows only here.
func (c *piTalk) message(m piMessage) {
	u := cost.Usage{Input: m.Usage.Input, Output: m.Usage.Output, CacheRead: m.Usage.CacheRead, CacheWrite: m.Usage.CacheWrite}
	if usd := m.Usage.Cost.Total; usd > 0 {
		u.USD, u.Source = usd, cost.Provider
	}
	c.spent = c.spent.Add(u)
	c.last, c.said, c.failed = m, false, nil
	switch m.StopReason {
	case "error":
		c.failed = classify(statusOf(m.ErrorMessage), m.ErrorMessage, trouble.BadRequest)
	case "aborted":
		c.failed = &trouble.Error{Kind: trouble.Crash, Message: "the turn was interrupted"}
	}
}

// end closes the turn, unless it failed in a way the program may repeat. The program announces that after this event,
// so we send a question: its answer means that nothing more will come.
func (c *piTalk) end(ctx context.Context, p *process, say func(llm.Delta)) (*llm.End, error) {
	text := c.last.text()
	switch {
	case c.failed != nil && c.failed.Retryable():
		return nil, p.send(ctx, object{"id": c.id("settled"), "type": "get_state"})
	case c.failed != nil:
		return nil, c.failed
	case strings.TrimSpace(text) == "":
		return nil, &trouble.Error{Kind: trouble.Empty, Message: "the program finished but returned no answer"}
	}
	answer, stop := text, llm.StopDone
	if c.schema {
		answer = unfence(text)
	}
	if c.last.StopReason == "length" {
		stop = llm.StopLength
	}
	return &llm.End{Stop: stop, Usage: c.spent, Message: llm.AssistantText(answer), Model: c.last.Model,
		Request: c.last.ResponseID}, nil
}

// answered processes the answer to a command of this turn.
func (c *piTalk) answered(l piLine) error {
	switch {
	case l.ID == c.id("prompt") && !l.Success:
		var why string
		json.Unmarshal(l.Error, &why) // another shape tells nothing
		return classify(0, why, trouble.BadRequest)
	case l.ID == c.id("settled") && c.failed != nil:
		return c.failed
	}
	return nil
}

// piSkim skips what its events repeat. Updates do so, twice each, where the extension does not shorten them.
func piSkim(head []byte) ([]byte, bool) {
	d := json.NewDecoder(bytes.NewReader(head))
	if t, err := d.Token(); err != nil || t != json.Delim('{') {
		return nil, false
	}
	kind := ""
	for {
		key, err := d.Token()
		if err != nil {
			return nil, false
		}
		switch key {
		case "type":
			if d.Decode(&kind) != nil {
				return nil, false
			}
			switch kind {
			case "message_start", "turn_end", "tool_execution_update", "tool_execution_end":
				return nil, true
			case "agent_end":
				return []byte(`{"type":"agent_end"}`), true
			}
		case "assistantMessageEvent":
			return piSkimEvent(d, kind)
		default:
			var passed json.RawMessage
			if d.Decode(&passed) != nil {
				return nil, false
			}
		}
	}
}

// piSkimEvent reads an event up to its delta, or up to a type that has none.
func piSkimEvent(d *json.Decoder, kind string) ([]byte, bool) {
	if t, err := d.Token(); kind != "message_update" || err != nil || t != json.Delim('{') {
		return nil, false
	}
	event := map[string]string{}
	for {
		key, err := d.Token()
		if err != nil {
			return nil, false
		}
		var value any
		if d.Decode(&value) != nil {
			return nil, false
		}
		name, _ := key.(string)
		event[name], _ = value.(string)
		word, known := event["type"]
		if known && word != "text_delta" && word != "thinking_delta" {
			return nil, true
		}
		if _, told := event["delta"]; known && told {
			short, err := json.Marshal(object{"type": kind, "assistantMessageEvent": object{"type": word, "delta": event["delta"]}})
			return short, err == nil
		}
	}
}
