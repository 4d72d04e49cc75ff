package cli

import (
	"cmp"
	"context"
	"encoding/base64"
	"encoding/json"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/socrates-cli/socrates/internal/llm"
	"github.com/socrates-cli/socrates/internal/llm/cost"
	"github.com/socrates-cli/socrates/internal/llm/trouble"
)

// claude answers through Anthropic's program of that name. Request.System replaces its own, long system prompt;
// Request.Tools and Request.MaxTokens have no effect.
var claude = Program{
	Name: "claude", Lineage: "anthropic",
	launch: launchClaude, sees: claudeSees, signedIn: claudeSignedIn, reach: claudeReach, lodge: lodgeClaude,
	asks: true, prepare: prepareClaude,
	speak: func(Options) dialect { return &claudeTalk{} },
}

// launchClaude turns off what a seat does not need: what the program would remember, load from the folder, or send
// besides the question. Only the person's own settings are read, since the folder's settings may start anything.
func launchClaude(o Options, req llm.Request) (args, env []string) {
	args = []string{"-p", "--input-format", "stream-json", "--output-format", "stream-json", "--verbose",
		"--include-partial-messages", "--no-session-persistence", "--disable-slash-commands",
		"--setting-sources", "user", "--strict-mcp-config"}
	switch {
	case req.Leave != nil:
		args = append(args, claudeWorks...)
	case req.Dir == "":
		args = append(args, "--permission-mode", "dontAsk", "--tools", "")
	default:
		args = append(args, "--permission-mode", "dontAsk", "--tools", "Read,Grep,Glob")
	}
	if o.Model != "" {
		args = append(args, "--model", o.Model)
	}
	env = []string{
		"CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1", "DISABLE_TELEMETRY=1", "DISABLE_ERROR_REPORTING=1", "DISABLE_AUTOUPDATER=1",
		"CLAUDE_CODE_DISABLE_TERMINAL_TITLE=1", "CLAUDE_CODE_DISABLE_AUTO_MEMORY=1", "CLAUDE_CODE_MAX_RETRIES=2",
		// Otherwise "@/any/file" in another model's text would be read and sent without asking for a permission.
		"CLAUDE_CODE_DISABLE_ATTACHMENTS=1",
		"CLAUDE_CODE_DISABLE_BACKGROUND_TASKS=1", // work that continues after a turn would change files unobserved
	}
	if req.Effort != "" { // a variable, since older versions exit on an unknown flag
		env = append(env, "CLAUDE_CODE_EFFORT_LEVEL="+req.Effort)
	}
	if o.Home != "" {
		env = append(env, "CLAUDE_CONFIG_DIR="+o.Home)
	}
	return args, env
}

// claudeSees lets the program see its own variables and those of the cloud it is set to use, but not the marks of a
// Claude session that we may run in.
func claudeSees(_ Options, env environ) func(string) bool {
	seen := []string{"ANTHROPIC_*", "CLAUDE_*"}
	if env["CLAUDE_CODE_USE_BEDROCK"] != "" {
		seen = append(seen, "AWS_*")
	}
	if env["CLAUDE_CODE_USE_VERTEX"] != "" {
		seen = append(seen, "GOOGLE_*", "CLOUD_ML_REGION", "VERTEX_*", "CLOUDSDK_*")
	}
	if env["CLAUDE_CODE_USE_FOUNDRY"] != "" {
		seen = append(seen, "AZURE_*")
	}
	marks := []string{"CLAUDE_CODE_ENTRYPOINT", "CLAUDE_CODE_SSE_PORT", "CLAUDE_CODE_SESSION_ID"}
	return func(name string) bool { return matches(name, seen) && !slices.Contains(marks, name) }
}

// claudeReach lists hosts it was seen to use; the older one renews logins of older versions.
func claudeReach(env environ, o Options) reach {
	folder := cmp.Or(o.Home, claudeFolder(env))
	r := reach{state: []string{folder}, settings: []string{filepath.Join(folder, "settings.json")},
		hosts: []string{"api.anthropic.com", "platform.claude.com", "claude.ai", "console.anthropic.com"}}
	if home, err := os.UserHomeDir(); err == nil && o.Home == "" && env["CLAUDE_CONFIG_DIR"] == "" {
		r.reads = append(r.reads, filepath.Join(home, ".claude.json")) // it names trusted servers and folders
	}
	if env["CLAUDE_CODE_USE_BEDROCK"] != "" {
		r.amazon(env)
	}
	if env["CLAUDE_CODE_USE_VERTEX"] != "" {
		r.google(env)
	}
	if name := env["ANTHROPIC_FOUNDRY_RESOURCE"]; name != "" && env["CLAUDE_CODE_USE_FOUNDRY"] != "" {
		r.hosts = append(r.hosts, name+".services.ai.azure.com", "login.microsoftonline.com")
		r.reads = append(r.reads, atHome(".azure"))
	}
	return r
}

// claudeFolder returns the folder with its login and settings.
func claudeFolder(env environ) string { return cmp.Or(env["CLAUDE_CONFIG_DIR"], atHome(".claude")) }

// claudeSignedIn returns Unknown on macOS, where only the keychain could tell, and asking it would prompt the person.
func claudeSignedIn(env environ) (SignedIn, string) {
	for _, name := range []string{"ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "CLAUDE_CODE_OAUTH_TOKEN",
		"CLAUDE_CODE_USE_BEDROCK", "CLAUDE_CODE_USE_VERTEX", "CLAUDE_CODE_USE_FOUNDRY"} {
		if env[name] != "" {
			return Yes, name + " is set"
		}
	}
	folder := claudeFolder(env)
	if file := filepath.Join(folder, ".credentials.json"); exists(file) {
		return Yes, "signed in through " + file
	}
	settings, _ := os.ReadFile(filepath.Join(folder, "settings.json"))
	switch {
	case strings.Contains(string(settings), `"apiKeyHelper"`):
		return Unknown, "its settings name a key helper"
	case runtime.GOOS == "darwin":
		return Unknown, "the login may be in the keychain"
	}
	return No, "not signed in: start claude once and use /login, or set ANTHROPIC_API_KEY"
}

// claudeTalk is the stream-json protocol: one JSON object per line both ways. It is not documented as a protocol;
// field names and order are those of the versions named in claude_work.go. Unknown lines are ignored.
type claudeTalk struct {
	spent  cost.Usage // so far, with dollars; the program reports the sum of all its turns
	dir    string
	schema bool   // the answer must be bare JSON
	model  string // the model that answered
	// version is the program's; request is the vendor's id of the last request.
	version, request string
	text             strings.Builder // streamed since the last message began
	// synthetic is set when the program speaks in the model's place, which it does to report errors.
	synthetic bool
	told      cost.Usage // of the turn's answers so far, from the start of each
	claudeWork
}

// object is a message to a program before it is encoded as JSON.
type object = map[string]any

// open sends the system prompt here and not as an argument, which other users of the machine can read. The answer is
// read with the first turn.
func (c *claudeTalk) open(ctx context.Context, p *process, req llm.Request) error {
	c.dir = req.Dir
	if req.Leave != nil {
		return p.send(ctx, object{"type": "control_request", "request_id": "open", "request": claudeOpens(req.System)})
	}
	if req.System == "" {
		return nil
	}
	system := req.System
	if req.Dir != "" {
		system += "\n\nThe working directory, which you can read, is " + req.Dir
	}
	return p.send(ctx, object{"type": "control_request", "request_id": "open",
		"request": object{"subtype": "initialize", "systemPrompt": []string{system}}})
}

// ask sends one user message. It clears the state of the last turn, except the sums that the program continues.
func (c *claudeTalk) ask(ctx context.Context, p *process, in prompt, req llm.Request) error {
	*c = claudeTalk{spent: c.spent, dir: c.dir, version: c.version, schema: req.Schema != nil, claudeWork: newClaudeWork(req)}
	text := withSchema(in.text, req.Schema)
	if strings.HasPrefix(text, "/") { // else the program treats it as a command
		text = "The message begins on the next line.\n" + text
	}
	content := []object{{"type": "text", "text": text}}
	for _, img := range in.images {
		content = append(content, object{"type": "image", "source": object{
			"type": "base64", "media_type": img.MIME, "data": base64.StdEncoding.EncodeToString(img.Data)}})
	}
	return p.send(ctx, object{"type": "user", "message": object{"role": "user", "content": content}})
}

// interrupt is answered by a result, like any end of a turn.
func (c *claudeTalk) interrupt(ctx context.Context, p *process) error {
	c.leave = nil
	return p.send(ctx, object{"type": "control_request", "request_id": "stop", "request": object{"subtype": "interrupt"}})
}

// claudeLine is what we read of a line, of any type.
type claudeLine struct {
	Type, Subtype string
	RequestID     string `json:"request_id"`
	Version       string `json:"claude_code_version"`
	Request       claudeWish
	Response      struct{ Subtype, Error string }
	Event         struct {
		Type    string
		Message struct {
			Model string
			Usage claudeUsage
		}
		Delta struct{ Text, Thinking string }
	}
	Message struct {
		Model   string
		Content json.RawMessage
	}
	Attempt     int
	RetryDelay  float64 `json:"retry_delay_ms"`
	ErrorStatus int     `json:"error_status"`
	Error       json.RawMessage
	claudeResult
}

// claudeResult closes a turn. Its subtype may be "success" for a failure. Cost and ModelUsage are sums over all turns
// of the process; Usage is that of this turn.
type claudeResult struct {
	IsError    bool `json:"is_error"`
	Status     int  `json:"api_error_status"`
	Result     string
	Errors     []string
	StopReason string   `json:"stop_reason"`
	Cost       *float64 `json:"total_cost_usd"`
	Usage      claudeUsage
	ModelUsage map[string]struct{ InputTokens, OutputTokens, CacheReadInputTokens, CacheCreationInputTokens, ThinkingTokens int }
}

// claudeUsage counts one answer, or a turn.
type claudeUsage struct {
	Input      int `json:"input_tokens"`
	Output     int `json:"output_tokens"`
	CacheRead  int `json:"cache_read_input_tokens"`
	CacheWrite int `json:"cache_creation_input_tokens"`
	Details    struct {
		Thinking int `json:"thinking_tokens"`
	} `json:"output_tokens_details"`
}

func (u claudeUsage) tokens() cost.Usage {
	return cost.Usage{Input: u.Input, Output: u.Output, CacheRead: u.CacheRead, CacheWrite: u.CacheWrite, Reasoning: u.Details.Thinking}
}

// usage returns what the turn used. The sums over all turns are complete; the turn's own count leaves out an answer
// that was cut and requested again.
func (c *claudeTalk) usage(r claudeResult) cost.Usage {
	u := r.Usage.tokens()
	var sum cost.Usage
	for _, m := range r.ModelUsage {
		sum = sum.Add(cost.Usage{Input: m.InputTokens, Output: m.OutputTokens, CacheRead: m.CacheReadInputTokens,
			CacheWrite: m.CacheCreationInputTokens, Reasoning: m.ThinkingTokens})
	}
	if b := c.spent; sum.Total() > b.Total() {
		u = cost.Usage{Input: sum.Input - b.Input, Output: sum.Output - b.Output, CacheRead: sum.CacheRead - b.CacheRead,
			CacheWrite: sum.CacheWrite - b.CacheWrite, Reasoning: sum.Reasoning - b.Reasoning}
	}
	sum.USD = c.spent.USD
	if r.Cost != nil {
		u.USD, u.Source = max(0, *r.Cost-c.spent.USD), cost.Provider
		sum.USD = *r.Cost
	}
	c.spent = sum
	return u
}

// hear handles the lines of a turn by their type. A control request is answered here, while the program waits for it.
func (c *claudeTalk) hear(ctx context.Context, p *process, line []byte, say func(llm.Delta)) (*llm.End, error) {
	var l claudeLine
	if ok, err := decode(p, line, &l); !ok {
		return nil, err
	}
	switch l.Type {
	case "stream_event":
		c.event(l, say)
	case "assistant":
		c.block(l, say)
	case "user":
		c.results(l.Message.Content, say)
	case "system":
		if l.Version != "" {
			c.version = l.Version
		}
		if l.Subtype == "api_retry" {
			cause := classify(l.ErrorStatus, string(l.Error), trouble.Network)
			say(llm.Delta{Retry: &llm.Retry{Attempt: l.Attempt, Wait: time.Duration(l.RetryDelay * float64(time.Millisecond)), Err: cause}})
		}
	case "control_request": // it asks for a permission or the like
		return nil, p.send(ctx, object{"type": "control_response", "response": c.answer(ctx, l.RequestID, l.Request)})
	case "control_response":
		if l.Response.Subtype == "error" {
			return nil, classify(0, l.Response.Error, trouble.BadRequest)
		}
	case "result":
		return c.end(l, say)
	}
	return nil, nil
}

// event forwards a piece of an answer that is being written.
func (c *claudeTalk) event(l claudeLine, say func(llm.Delta)) {
	switch l.Event.Type {
	case "message_start":
		if c.text.Len() > 0 {
			say(llm.Delta{Text: "\n\n"})
		}
		c.text.Reset()
		c.model = l.Event.Message.Model
		c.told = c.told.Add(l.Event.Message.Usage.tokens())
		told := c.told
		say(llm.Delta{Usage: &told})
	case "content_block_delta":
		if d := l.Event.Delta; d.Text != "" {
			c.text.WriteString(d.Text)
			say(llm.Delta{Text: d.Text})
		} else if d.Thinking != "" {
			say(llm.Delta{Think: d.Thinking})
		}
	}
}

// block records what a complete block of an answer does.
func (c *claudeTalk) block(l claudeLine, say func(llm.Delta)) {
	c.synthetic = l.Message.Model == "<synthetic>"
	if l.RequestID != "" {
		c.request = l.RequestID
	}
	if c.model == "" {
		c.model = l.Message.Model
	}
	var blocks []struct {
		Type, ID, Name string
		Input          map[string]any
	}
	json.Unmarshal(l.Message.Content, &blocks) // content may also be a string, which contains no tool use
	for _, b := range blocks {
		if b.Type != "tool_use" {
			continue
		}
		c.begins(b.ID, claudeCall(c.dir, b.ID, b.Name, b.Input))
		say(llm.Delta{Note: action(c.dir, b.Name, b.Input)})
	}
}

// end closes the turn. A failure is reported in several places, none of which is always there: the flag, the subtype,
// a status, the message of a model that does not exist, and an answer that begins with the program's own words for an
// error.
func (c *claudeTalk) end(l claudeLine, say func(llm.Delta)) (*llm.End, error) {
	u := c.usage(l.claudeResult)
	say(llm.Delta{Usage: &u})
	told := l.Result
	if told == "" {
		told = strings.Join(l.Errors, "; ")
	}
	errorText := c.text.Len() == 0 && strings.HasPrefix(l.Result, "API Error")
	switch {
	case l.IsError && l.StopReason == "refusal": // as of 2.1.332 a refusal is reported as an error
		return nil, &trouble.Error{Kind: trouble.Refused, Message: cmp.Or(oneLine(told), "the model refused to answer")}
	case l.IsError || l.Subtype != "success" || c.synthetic || errorText || l.Status != 0:
		if told == "" {
			told = "the turn failed: " + l.Subtype
		}
		return nil, classify(l.Status, told, trouble.BadRequest)
	case strings.TrimSpace(l.Result) == "" && l.StopReason == "refusal":
		return nil, &trouble.Error{Kind: trouble.Refused, Message: "the model refused to answer"}
	case strings.TrimSpace(l.Result) == "":
		return nil, &trouble.Error{Kind: trouble.Empty, Message: "the program finished but returned no answer"}
	}
	if c.text.Len() == 0 {
		say(llm.Delta{Text: l.Result})
	} else if !strings.HasSuffix(strings.TrimSpace(c.text.String()), strings.TrimSpace(l.Result)) {
		say(llm.Delta{Text: "\n\n" + l.Result}) // a cut stream was answered again, in one piece
	}
	answer := l.Result
	if c.schema {
		answer = unfence(answer)
	}
	stop := map[string]llm.Stop{"max_tokens": llm.StopLength, "refusal": llm.StopRefusal}[l.StopReason]
	if stop == "" {
		stop = llm.StopDone
	}
	return &llm.End{Stop: stop, Usage: u, Message: llm.AssistantText(answer), Model: c.model,
		Request: c.request, Program: c.version}, nil
}
