package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/socrates-cli/socrates/internal/llm"
	"github.com/socrates-cli/socrates/internal/llm/cost"
	"github.com/socrates-cli/socrates/internal/llm/trouble"
	"github.com/socrates-cli/socrates/internal/pattern"
)

// crush serves models of many vendors. It has no protocol: one process takes one prompt and prints one text, and
// sometimes loses its end. So the answer is read from its record of the session, and the text is only shown
// meanwhile. It runs with settings of ours, since no flag keeps it from writing or from starting the user's servers.
var crush = Program{
	Name: "crush", text: true, notices: crushRetry,
	launch: launchCrush, prepare: prepareCrush, signedIn: crushSignedIn, chosen: crushChosen, reach: crushReach,
	sees: func(Options, environ) func(string) bool {
		return func(name string) bool { return matches(name, append([]string{"CRUSH_*"}, crushKeys...)) }
	},
	speak: func(Options) dialect { return &crushTalk{} },
}

// crushKeys are the variables with the keys of the vendors it serves.
var crushKeys = []string{"ANTHROPIC_API_KEY", "OPENAI_API_KEY", "GEMINI_API_KEY", "XAI_API_KEY", "OPENROUTER_API_KEY", "DEEPSEEK_API_KEY",
	"GROQ_API_KEY", "CEREBRAS_API_KEY", "HYPER_API_KEY", "ZAI_API_KEY", "MINIMAX_API_KEY", "VERCEL_API_KEY", "HF_TOKEN"}

// crushOff are all its tools except those that read below the folder. Unknown names are ignored.
var crushOff = []string{"agent", "agentic_fetch", "bash", "crush_info", "crush_logs", "download", "edit", "fetch", "job_kill", "job_output",
	"list_mcp_resources", "lsp_call_hierarchy", "lsp_definition", "lsp_diagnostics", "lsp_references", "lsp_rename", "lsp_replace_symbol",
	"lsp_restart", "lsp_symbols", "multiedit", "question", "read_mcp_resource", "sourcegraph", "todos", "web_fetch", "web_search", "write"}

// launchCrush also sets the small model, which the program calls by itself: otherwise it would ask a vendor nobody
// chose.
func launchCrush(o Options, _ llm.Request) (args, env []string) {
	args = []string{"run", "--verbose"} // verbose, since only then it reports that it tries again
	if o.Model != "" {
		args = append(args, "--model", o.Model, "--small-model", o.Model)
	}
	env = []string{"CRUSH_DISABLE_METRICS=1", "CRUSH_DISABLE_PROVIDER_AUTO_UPDATE=1", "CRUSH_CLIENT_SERVER=0"}
	if o.Home != "" {
		env = append(env, "CRUSH_GLOBAL_DATA="+filepath.Join(o.Home, "data"))
	}
	return args, env
}

// prepareCrush writes the settings: of the user's own, only the vendors and models. A folder with settings for the
// program cannot be used by a seat: they may start servers and scripts, and no flag prevents that.
func prepareCrush(h *home, o Options, req llm.Request) ([]string, error) {
	for _, name := range []string{"crush.json", ".crush.json", "crushrc", ".crushrc", ".crush"} {
		if req.Dir != "" && exists(filepath.Join(o.Hold.seen(req.Dir), name)) {
			return nil, &trouble.Error{Kind: trouble.BadRequest,
				Message: "crush would run commands from this folder's " + name + ": remove it, or leave crush out of the panel"}
		}
	}
	theirs := map[string]json.RawMessage{}
	readJSON(filepath.Join(crushFolder(environment(), o.Home), "crush.json"), &theirs)
	off := crushOff
	if req.Dir == "" {
		off = append([]string{"glob", "grep", "ls", "view"}, off...)
	}
	settings := object{"options": object{"disabled_tools": off, "data_directory": h.data, "auto_lsp": false,
		"disable_metrics": true, "disable_provider_auto_update": true, "disable_auto_summarize": true, "notifications": "disabled",
		"progress": false}}
	for _, key := range []string{"models", "providers"} {
		if v, ok := theirs[key]; ok {
			settings[key] = v
		}
	}
	return []string{"CRUSH_GLOBAL_CONFIG=" + h.dir}, h.writeJSON("crush.json", settings)
}

// crushReach allows any vendor's host, since its settings name the vendors.
func crushReach(env environ, o Options) reach {
	data := crushData(env)
	if o.Home != "" {
		data = filepath.Join(o.Home, "data")
	}
	return reach{state: []string{data}, hosts: vendorHosts,
		settings: []string{filepath.Join(crushFolder(env, o.Home), "crush.json"), filepath.Join(data, "crush.json")}}
}

// crushFolder returns the folder with its settings: in home unless that is empty.
func crushFolder(env environ, home string) string {
	switch {
	case home != "":
		return home
	case env["CRUSH_GLOBAL_CONFIG"] != "":
		return env["CRUSH_GLOBAL_CONFIG"]
	case env["XDG_CONFIG_HOME"] != "":
		return filepath.Join(env["XDG_CONFIG_HOME"], "crush")
	}
	user, _ := os.UserHomeDir()
	return filepath.Join(user, ".config", "crush")
}

// crushData returns where the program itself writes logins and the chosen model.
func crushData(env environ) string {
	user, _ := os.UserHomeDir()
	switch {
	case env["CRUSH_GLOBAL_DATA"] != "":
		return env["CRUSH_GLOBAL_DATA"]
	case env["XDG_DATA_HOME"] != "":
		return filepath.Join(env["XDG_DATA_HOME"], "crush")
	case runtime.GOOS == "windows":
		return filepath.Join(env["LOCALAPPDATA"], "crush")
	}
	return filepath.Join(user, ".local", "share", "crush")
}

// crushOwn is what we read of the user's settings; those the program wrote come last.
type crushOwn struct {
	Models    map[string]struct{ Model, Provider string }
	Providers map[string]json.RawMessage
}

// crushChosen returns the large model. What the program wrote itself when one was chosen overrides what the person
// wrote.
func crushChosen(env environ) string {
	var is crushOwn
	for _, folder := range []string{crushFolder(env, ""), crushData(env)} {
		var more crushOwn
		readJSON(filepath.Join(folder, "crush.json"), &more)
		if more.Models["large"].Model != "" {
			is = more
		}
	}
	if large := is.Models["large"]; large.Model != "" {
		return large.Provider + "/" + large.Model
	}
	return ""
}

// crushSignedIn cannot tell whether a vendor in its settings has a login there.
func crushSignedIn(env environ) (SignedIn, string) {
	for _, name := range crushKeys {
		if env[name] != "" {
			return Yes, name + " is set"
		}
	}
	for _, folder := range []string{crushData(env), crushFolder(env, "")} {
		var is crushOwn
		if file := filepath.Join(folder, "crush.json"); readJSON(file, &is) && len(is.Providers) > 0 {
			return Unknown, file + " names vendors, perhaps with a login"
		}
	}
	return No, "not signed in: start crush once and pick a model, or set a vendor's key"
}

// crushTalk is one prompt and one answer.
type crushTalk struct {
	schema  bool
	printed []byte
	told    int // of printed
	retries int
}

// open has nothing to send.
func (c *crushTalk) open(context.Context, *process, llm.Request) error { return nil }

// ask sends everything at once and closes the input, which makes the program start.
func (c *crushTalk) ask(ctx context.Context, p *process, in prompt, req llm.Request) error {
	c.schema = req.Schema != nil
	text := withSchema(in.text, req.Schema)
	if req.System != "" {
		text = withSystem(req.System, text)
	}
	if err := p.write(ctx, []byte(text)); err != nil {
		return err
	}
	return p.stdin.Close()
}

// interrupt does nothing: only ending the program stops it.
func (c *crushTalk) interrupt(context.Context, *process) error {
	return &trouble.Error{Kind: trouble.Crash, Message: "crush cannot interrupt a turn"}
}

// crushRetry matches the log line about a model call that has failed and will be repeated.
var crushRetry = pattern.Of(`Provider request failed, retrying retry_delay=\S+ (?:status_code=(\d+) )?title=(".*?"|\S+) message=(.*)`)

// hear processes a piece of the output or a line of the log, which it recognizes by its form.
func (c *crushTalk) hear(ctx context.Context, p *process, piece []byte, say func(llm.Delta)) (*llm.End, error) {
	if found := crushRetry().FindSubmatch(piece); found != nil {
		c.retries++
		status, _ := strconv.Atoi(string(found[1])) // 0 if there is none
		say(llm.Delta{Retry: &llm.Retry{Attempt: c.retries, Err: classify(status, string(found[2])+": "+string(found[3]),
			trouble.Network)}})
		return nil, nil
	}
	if len(piece) == 0 {
		return c.end(ctx, p, say)
	}
	if c.printed = append(c.printed, piece...); len(c.printed) > maxLine {
		return nil, &trouble.Error{Kind: trouble.Malformed, Message: "crush printed more than " + strconv.Itoa(maxLine>>20) + " MiB"}
	}
	if n := wholeRunes(c.printed); n > c.told {
		say(llm.Delta{Text: string(c.printed[c.told:n])})
		c.told = n
	}
	return nil, nil
}

// wholeRunes returns how much of b ends with a complete character.
func wholeRunes(b []byte) int {
	for n := len(b); n > 0 && n > len(b)-utf8.UTFMax; n-- {
		if r, size := utf8.DecodeLastRune(b[:n]); r != utf8.RuneError || size > 1 {
			return n
		}
	}
	return len(b)
}

// end reads the answer from the record. Without a record it uses the output: then a cut is noticed only where the
// answer had to follow a schema.
func (c *crushTalk) end(ctx context.Context, p *process, say func(llm.Delta)) (*llm.End, error) {
	if p.exit != nil {
		_, why, _ := strings.Cut(p.errout.String(), " ERROR ") // the log comes before it
		e := classify(0, oneLine(why), trouble.Crash)
		e.Message = strings.TrimSuffix("crush ended: "+p.exit.Error()+": "+strings.TrimPrefix(e.Message, "Agent processing failed: "), ": ")
		return nil, e
	}
	r, found := c.record(ctx, p)
	answer, stop := r.answer()
	if !found {
		answer, stop = string(c.printed), "end_turn"
	}
	answer = strings.TrimSpace(answer)
	if c.schema {
		answer = unfence(answer)
	}
	switch {
	case stop == "content_filter":
		return nil, &trouble.Error{Kind: trouble.Refused, Message: "the model refused to answer"}
	case stop != "end_turn" && stop != "max_tokens":
		return nil, &trouble.Error{Kind: trouble.Crash, Message: "the turn ended as " + oneLine(stop)}
	case answer == "":
		return nil, &trouble.Error{Kind: trouble.Empty, Message: "the program finished but returned no answer"}
	case !found && c.schema && !json.Valid([]byte(answer)):
		return nil, &trouble.Error{Kind: trouble.Malformed, Message: "crush printed an incomplete answer"}
	}
	if printed := strings.TrimSpace(string(c.printed)); !strings.HasSuffix(printed, answer) && unfence(printed) != answer {
		say(llm.Delta{Text: "\n\n" + answer}) // the output was cut
	}
	end := &llm.End{Stop: llm.StopDone, Message: llm.AssistantText(answer), Model: r.model(),
		Usage: cost.Usage{Input: r.Meta.Prompt, Output: r.Meta.Completion}}
	if stop == "max_tokens" {
		end.Stop = llm.StopLength
	}
	if r.Meta.Cost > 0 {
		end.Usage.USD, end.Usage.Source = r.Meta.Cost, cost.Provider
	}
	return end, nil
}

// crushRecord is what the program stores about a session.
type crushRecord struct {
	Meta struct {
		Cost       float64
		Prompt     int `json:"prompt_tokens"`
		Completion int `json:"completion_tokens"`
	}
	Messages []struct {
		Role, Model string
		Parts       []struct{ Type, Text, Reason string }
	}
}

// record asks the program for the record of the session that has just ended; false if there is none. It runs another
// process of the same program in the same home, under the same confinement.
func (c *crushTalk) record(ctx context.Context, p *process) (r crushRecord, found bool) {
	again := p.started
	again.args, again.borrowed, again.notices = []string{"session", "last", "--json"}, true, nil
	show, err := startProcess(again)
	if err != nil {
		return r, false
	}
	defer show.end()
	show.stdin.Close()
	var shown bytes.Buffer
	for {
		piece, err := show.next(ctx)
		if err != nil || shown.Len() > maxLine {
			return r, false
		}
		if len(piece) == 0 {
			break
		}
		shown.Write(piece)
	}
	return r, show.exit == nil && json.Unmarshal(shown.Bytes(), &r) == nil && len(r.Messages) > 0
}

// answer returns the text of the last message, if it is the model's, and why it ended.
func (r crushRecord) answer() (text, stop string) {
	if len(r.Messages) == 0 {
		return "", ""
	}
	last := r.Messages[len(r.Messages)-1]
	for _, part := range last.Parts {
		switch {
		case last.Role != "assistant":
		case part.Type == "text":
			text += part.Text
		case part.Type == "finish":
			stop = part.Reason
		}
	}
	return text, stop
}

// model returns the one that answered; empty if unknown.
func (r crushRecord) model() string {
	if len(r.Messages) == 0 {
		return ""
	}
	return r.Messages[len(r.Messages)-1].Model
}
