package cli

import (
	"cmp"
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/socrates-cli/socrates/internal/llm"
	"github.com/socrates-cli/socrates/internal/llm/cost"
	"github.com/socrates-cli/socrates/internal/llm/trouble"
	"github.com/socrates-cli/socrates/internal/pattern"
)

// codex answers through OpenAI's program of that name, over its app-server protocol. Request.System is added to its
// own system prompt, which cannot be replaced; Request.Tools and Request.MaxTokens have no effect.
var codex = Program{
	Name: "codex", Lineage: "openai",
	launch: launchCodex, sees: codexSees, signedIn: codexSignedIn, reach: codexReach, asks: true, prepare: prepareCodex,
	speak: func(o Options) dialect { return &codexTalk{model: o.Model, held: o.Hold != nil} },
}

// codexOff are features that a seat does not need: more tools, more agents, more network. Unknown names are ignored.
var codexOff = []string{"apps", "browser_use", "computer_use", "goals", "hooks", "image_generation", "memories",
	"multi_agent", "plugins", "remote_plugin", "shell_snapshot", "skill_mcp_dependency_install"}

// launchCodex sets everything by -c, which overrides the person's configuration and accepts unknown names without an
// error.
func launchCodex(o Options, req llm.Request) (args, env []string) {
	args = []string{"app-server", "-c", "analytics.enabled=false", "-c", "check_for_update_on_startup=false",
		"-c", "web_search=disabled"}
	if req.Leave != nil { // its commands get the project's caches, and no key
		args = append(args, "-c", "shell_environment_policy.inherit=all", "-c", "shell_environment_policy.ignore_default_excludes=false",
			"-c", "approvals_reviewer=user")
	} else {
		args = append(args, "-c", "shell_environment_policy.inherit=core")
	}
	off := codexOff
	if req.Dir == "" {
		off = append(slices.Clone(off), "shell_tool", "unified_exec", "view_image")
	}
	for _, feature := range off {
		args = append(args, "-c", "features."+feature+"=false")
	}
	if o.Home != "" {
		env = append(env, "CODEX_HOME="+o.Home)
	}
	return args, env
}

// codexSees lets the program see its own variables and those the user's configuration names as holding a key.
func codexSees(o Options, env environ) func(string) bool {
	seen := []string{"CODEX_*", "OPENAI_*"}
	folder := o.Home
	if folder == "" {
		folder = codexFolder(env)
	}
	config, _ := os.ReadFile(filepath.Join(folder, "config.toml"))
	for _, found := range envKey().FindAllSubmatch(config, -1) {
		seen = append(seen, string(found[1]))
	}
	return func(name string) bool { return matches(name, seen) }
}

// envKey finds the variables that a TOML configuration names as holding a vendor's key.
var envKey = pattern.Of(`\benv_key\s*=\s*["']([A-Za-z0-9_]+)["']`)

// codexFolder returns the folder with its login and configuration.
func codexFolder(env environ) string {
	if folder := env["CODEX_HOME"]; folder != "" {
		return folder
	}
	home, _ := os.UserHomeDir()
	return filepath.Join(home, ".codex")
}

// codexReach lists hosts as of November 2026: a ChatGPT login asks chatgpt.com and is renewed by auth.openai.com; a
// key asks the API.
func codexReach(env environ, o Options) reach {
	folder := cmp.Or(o.Home, codexFolder(env))
	return reach{state: []string{folder}, settings: []string{filepath.Join(folder, "config.toml")},
		hosts: []string{"api.openai.com", "chatgpt.com", "auth.openai.com"}}
}

// codexSignedIn looks for a key or the file of a login. A configuration that names another store or vendor may use
// any login.
func codexSignedIn(env environ) (SignedIn, string) {
	for _, name := range []string{"CODEX_API_KEY", "OPENAI_API_KEY"} {
		if env[name] != "" {
			return Yes, name + " is set"
		}
	}
	folder := codexFolder(env)
	if file := filepath.Join(folder, "auth.json"); exists(file) {
		return Yes, "signed in through " + file
	}
	config, _ := os.ReadFile(filepath.Join(folder, "config.toml"))
	if strings.Contains(string(config), "cli_auth_credentials_store") || strings.Contains(string(config), "model_provider") {
		return Unknown, "its config.toml names another login"
	}
	return No, "not signed in: run codex login, or set OPENAI_API_KEY"
}

// codexTalk speaks line-based JSON-RPC with the program's app-server. One process holds one thread, which is kept in
// its memory alone.
type codexTalk struct {
	rpc
	model        string // the wanted model, then the one that answers
	thread, turn string
	version      string // the version that the program reports
	asked        int    // the turn/start request
	held         bool   // the system holds it, and its own sandbox cannot run inside ours

	before, now codexTokens // the thread's tokens before this turn, and now
	text        string      // of the last message
	streamed    bool        // part of it was streamed
	retries     int
	dir         string
	codexWork
}

// codexTokens counts the thread. Input includes cached tokens, and Output includes reasoning.
type codexTokens struct {
	Input      int `json:"inputTokens"`
	Cached     int `json:"cachedInputTokens"`
	CacheWrite int `json:"cacheWriteInputTokens"`
	Output     int `json:"outputTokens"`
	Reasoning  int `json:"reasoningOutputTokens"`
}

// open initializes the connection, switches the person's servers off and starts the thread. Held by the system, the
// program runs without its own sandbox, which cannot run inside ours; otherwise its sandbox keeps it from writing.
func (c *codexTalk) open(ctx context.Context, p *process, req llm.Request) error {
	hello := object{"clientInfo": object{"name": "socrates", "title": "Socrates", "version": "1"}}
	if err := c.call(ctx, p, "initialize", hello, nil); err != nil {
		return err
	}
	if err := c.notify(ctx, p, "initialized", nil); err != nil {
		return err
	}
	// The user's own MCP servers could act, so they are switched off one by one; overriding the whole table would
	// only merge with it.
	var is struct {
		Config struct {
			MCP map[string]json.RawMessage `json:"mcp_servers"`
		}
	}
	if err := c.call(ctx, p, "config/read", object{}, &is); err != nil {
		return err
	}
	off := object{}
	for name := range is.Config.MCP {
		off[name] = object{"enabled": false}
	}
	mode, policy := "read-only", "never"
	if c.dir = req.Dir; c.held {
		mode = "danger-full-access"
	}
	if req.Leave != nil {
		mode, policy = "danger-full-access", "untrusted"
	}
	begin := object{"approvalPolicy": policy, "sandbox": mode, "ephemeral": true, "config": object{"mcp_servers": off}}
	if req.Dir != "" {
		begin["cwd"] = req.Dir
	}
	if c.model != "" {
		begin["model"] = c.model
	}
	if req.System != "" {
		begin["developerInstructions"] = req.System
	}
	var begun struct {
		Model  string
		Thread struct{ ID, CLIVersion string }
	}
	if err := c.call(ctx, p, "thread/start", begin, &begun); err != nil {
		return err
	}
	c.thread, c.model, c.version = begun.Thread.ID, begun.Model, begun.Thread.CLIVersion
	return nil
}

// call sends a request and waits for its answer, which is decoded into out unless that is nil.
func (c *codexTalk) call(ctx context.Context, p *process, method string, params, out any) error {
	return c.rpc.call(ctx, p, method, params, out, func(line []byte) error {
		_, err := c.hear(ctx, p, line, func(llm.Delta) {})
		return err
	})
}

// ask starts a turn. The turn's id, which interrupting needs, is known only from the answer.
func (c *codexTalk) ask(ctx context.Context, p *process, in prompt, req llm.Request) error {
	input := []object{{"type": "text", "text": in.text}}
	for _, img := range in.images {
		input = append(input, object{"type": "image", "url": "data:" + img.MIME + ";base64," + base64.StdEncoding.EncodeToString(img.Data)})
	}
	turn := object{"threadId": c.thread, "input": input}
	if req.Schema != nil {
		turn["outputSchema"] = req.Schema
	}
	if req.Effort != "" {
		turn["effort"] = req.Effort
	}
	c.turn, c.text, c.streamed, c.before, c.retries, c.codexWork = "", "", false, c.now, 0, newCodexWork(req)
	clear(c.answers)
	var err error
	c.asked, err = c.request(ctx, p, "turn/start", turn)
	return err
}

// interrupt fails before the turn has an id; the process is then ended instead.
func (c *codexTalk) interrupt(ctx context.Context, p *process) error {
	c.leave = nil
	if c.turn == "" {
		return fmt.Errorf("%s did not start the turn", p.name)
	}
	_, err := c.request(ctx, p, "turn/interrupt", object{"threadId": c.thread, "turnId": c.turn})
	return err
}

// hear distinguishes answers, requests and notifications.
func (c *codexTalk) hear(ctx context.Context, p *process, line []byte, say func(llm.Delta)) (*llm.End, error) {
	var l rpcLine
	if ok, err := decode(p, line, &l); !ok {
		return nil, err
	}
	switch {
	case l.Method == "":
		return nil, c.answered(l)
	case l.ID != nil:
		return nil, c.decline(ctx, p, l)
	default:
		return c.notified(p, l, say)
	}
}

// answered processes the answer to a request of ours.
func (c *codexTalk) answered(l rpcLine) error {
	if id := c.keep(l); id == 0 || id != c.asked {
		return nil
	}
	if l.Error != nil {
		return l.Error.kind()
	}
	var begun struct{ Turn struct{ ID string } }
	json.Unmarshal(l.Result, &begun) // without an id the turn cannot be interrupted, only ended
	c.turn = begun.Turn.ID
	return nil
}

// decline answers a request of the program: no, unless it has leave.
func (c *codexTalk) decline(ctx context.Context, p *process, l rpcLine) error {
	switch l.Method {
	case "item/commandExecution/requestApproval", "item/fileChange/requestApproval":
		return c.reply(ctx, p, l, object{"decision": c.permits(ctx, l)})
	case "applyPatchApproval", "execCommandApproval":
		return c.reply(ctx, p, l, object{"decision": object{"denied": object{"rejection": "read only"}}})
	case "mcpServer/elicitation/request":
		return c.reply(ctx, p, l, object{"action": "decline", "content": nil, "_meta": nil})
	case "item/permissions/requestApproval":
		return c.reply(ctx, p, l, object{"permissions": object{}, "scope": "turn"})
	}
	return c.refuse(ctx, p, l)
}

// codexNews is what we read of a notification, whatever its method.
type codexNews struct {
	ThreadID   string
	Delta      string
	Item       codexItem
	ToModel    string
	TokenUsage struct{ Total codexTokens }
	WillRetry  bool
	Error      codexFailure
	Turn       struct {
		ID, Status string
		Error      *codexFailure
	}
}

// notified processes a notification. Those of other threads, which belong to the program's own agents, are ignored.
func (c *codexTalk) notified(p *process, l rpcLine, say func(llm.Delta)) (*llm.End, error) {
	var n codexNews
	json.Unmarshal(l.Params, &n) // fields of another shape keep their zero value
	if c.thread != "" && n.ThreadID != "" && n.ThreadID != c.thread {
		return nil, nil
	}
	switch l.Method {
	case "item/agentMessage/delta":
		c.streamed = c.streamed || n.Delta != ""
		say(llm.Delta{Text: n.Delta})
	case "item/reasoning/summaryTextDelta", "item/reasoning/textDelta":
		say(llm.Delta{Think: n.Delta})
	case "item/started":
		c.began(n.Item)
		if n.Item.Type == "agentMessage" {
			if c.streamed {
				say(llm.Delta{Text: "\n\n"})
			}
			c.streamed = false
		} else if note := n.Item.note(); note != "" {
			say(llm.Delta{Note: oneLine(note)})
		}
	case "item/completed":
		if n.Item.Type == "agentMessage" {
			c.text = n.Item.Text
		}
		c.ended(n.Item, say)
	case "thread/tokenUsage/updated":
		c.now = n.TokenUsage.Total
		u := c.usage()
		say(llm.Delta{Usage: &u})
	case "model/rerouted":
		c.model = n.ToModel
	case "error":
		if n.WillRetry {
			c.retries++
			say(llm.Delta{Retry: &llm.Retry{Attempt: n.Error.attempt(c.retries), Err: n.Error.kind()}})
		}
	case "turn/completed":
		if c.turn == "" || n.Turn.ID == c.turn {
			c.left(p, say)
			return c.end(n, say)
		}
	}
	return nil, nil
}

// end closes the turn. Its answer is the last complete message.
func (c *codexTalk) end(n codexNews, say func(llm.Delta)) (*llm.End, error) {
	switch {
	case n.Turn.Error != nil:
		return nil, n.Turn.Error.kind()
	case n.Turn.Status != "completed":
		return nil, &trouble.Error{Kind: trouble.Crash, Message: "the turn ended as " + oneLine(n.Turn.Status)}
	case strings.TrimSpace(c.text) == "":
		return nil, &trouble.Error{Kind: trouble.Empty, Message: "the program finished but returned no answer"}
	}
	if !c.streamed {
		say(llm.Delta{Text: c.text})
	}
	return &llm.End{Stop: llm.StopDone, Usage: c.usage(), Message: llm.AssistantText(c.text), Model: c.model, Program: c.version}, nil
}

// usage returns what the turn has used so far.
func (c *codexTalk) usage() cost.Usage {
	b, a := c.before, c.now
	cached, written := a.Cached-b.Cached, a.CacheWrite-b.CacheWrite
	return cost.Usage{Input: max(0, a.Input-b.Input-cached-written), CacheRead: cached, CacheWrite: written,
		Output: a.Output - b.Output, Reasoning: a.Reasoning - b.Reasoning}
}

// codexItem is something the program says or does.
type codexItem struct {
	Type, Text, Command, Tool, Query, Path string
	ID, Cwd, Status, AggregatedOutput      string
	CommandActions                         []struct{ Type, Command, Name, Query string }
	Changes                                []codexChange
}

// note says in a few words what the program does; empty if nothing is worth reporting.
func (i codexItem) note() string {
	switch i.Type {
	case "commandExecution":
		if len(i.CommandActions) == 1 && i.CommandActions[0].Type == "read" {
			return "Read " + i.CommandActions[0].Name
		}
		if len(i.CommandActions) == 1 {
			return "Run " + i.CommandActions[0].Command
		}
		return "Run " + i.Command
	case "fileChange":
		note := "Edit"
		for _, ch := range i.Changes {
			note += " " + ch.Path
		}
		return note
	case "mcpToolCall", "dynamicToolCall", "collabAgentToolCall":
		return "Use " + i.Tool
	case "webSearch":
		return "Search the web for " + i.Query
	case "imageView":
		return "Look at " + i.Path
	}
	return ""
}

// codexFailure is how the program words an error.
type codexFailure struct {
	Message, AdditionalDetails string
	CodexErrorInfo             json.RawMessage // a word, or an object whose key is the word
}

// codexKinds maps its words for errors, as its schema has them in November 2026. An unknown word is judged by the
// text.
var codexKinds = map[string]trouble.Kind{
	"contextWindowExceeded": trouble.Context, "sessionBudgetExceeded": trouble.Quota, "usageLimitExceeded": trouble.Quota,
	"rateLimitExceeded": trouble.RateLimit, "flexUnavailable": trouble.Overloaded, "serverOverloaded": trouble.Overloaded,
	"policyCapacityUnavailable": trouble.Overloaded, "internalServerError": trouble.Overloaded, "unauthorized": trouble.Auth,
	"modelNotFound": trouble.BadRequest, "badRequest": trouble.BadRequest, "cyberPolicy": trouble.Refused,
	"misalignmentPolicyViolation": trouble.Refused, "inferenceHookDenied": trouble.Refused, "tooManyDenials": trouble.Refused,
	"httpConnectionFailed": trouble.Network, "responseStreamConnectionFailed": trouble.Network,
	"responseStreamDisconnected": trouble.Network, "responseTooManyFailedAttempts": trouble.Overloaded,
}

// kind uses the program's word for an error, its text and the status of the vendor's answer. Text and status take
// precedence where the word only says that a connection failed.
func (f codexFailure) kind() *trouble.Error {
	var word string
	var status int
	if json.Unmarshal(f.CodexErrorInfo, &word) != nil {
		var tagged map[string]struct{ HTTPStatusCode int }
		json.Unmarshal(f.CodexErrorInfo, &tagged) // another shape tells nothing
		for word = range tagged {
			status = tagged[word].HTTPStatusCode
		}
	}
	text := f.Message
	if f.AdditionalDetails != "" {
		text += " (" + f.AdditionalDetails + ")"
	}
	kind, known := codexKinds[word]
	if !known {
		kind = trouble.BadRequest
	}
	e := classify(status, text, kind)
	if known && e.Status == 0 && kind != trouble.Network { // it calls an overloaded vendor a lost connection
		e.Kind = kind
	}
	return e
}

// attemptOf matches the program's count of attempts.
var attemptOf = pattern.Of(`\b(\d+)/\d+\b`)

// attempt reads "Reconnecting... 1/5"; seen is how many were counted, used when the text has no number.
func (f codexFailure) attempt(seen int) int {
	if found := attemptOf().FindStringSubmatch(f.Message); found != nil {
		if n, err := strconv.Atoi(found[1]); err == nil {
			return n
		}
	}
	return seen
}
