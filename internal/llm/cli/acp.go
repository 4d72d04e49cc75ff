package cli

import (
	"cmp"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/socrates-cli/socrates/internal/llm"
	"github.com/socrates-cli/socrates/internal/llm/cost"
	"github.com/socrates-cli/socrates/internal/llm/trouble"
	"github.com/socrates-cli/socrates/internal/pattern"
)

// acpTalk is the client's side of the Agent Client Protocol, version 1. One process holds one session. We offer
// neither files nor terminals, so the program reads by its own means, and we refuse every permission except to read.
type acpTalk struct {
	rpc
	acpManner
	name, model string        // the program's name; the model that answers, if the program reports it
	version     string        // the version that the program reports
	patience    time.Duration // for each step of opening the session
	dir         string
	session     string
	sees        bool   // the program accepts images
	preface     string // the system prompt, until it is sent: ACP has no place for it
	asked       int    // the session/prompt request

	acpDoubt
	summed cost.Usage // of the session, for programs that count it

	retries int
	text    strings.Builder // of the last message
	acted   bool            // an action followed text
	schema  bool
	calls   map[string]string // the notes about each action
	count   acpCount
	spent   float64 // dollars of the session before this turn
	cost    float64 // and until now
	acpWork
}

// acpManner is how programs that speak ACP differ.
type acpManner struct {
	// failed recognizes an answer that is an error in the program's words; nil if the program never does that.
	failed func(text string) bool
	// free: its permissions are fixed before, and a stricter mode would only change its behavior.
	free bool
	// aside recognizes a piece of an answer that comes from the program itself; nil if there are none.
	aside func(text string) (acpAside, bool)
	// sums: it counts the whole session, not the turn.
	sums bool
	// tells: each usage_update begins a call of the model, so two in a row mean a failed attempt.
	tells bool
	// retried matches a line about a failed attempt. Its groups attempt and status, if present, are numbers, and why
	// is the reason. nil: the program does not report attempts.
	retried func() *regexp.Regexp
}

// speakACP returns the dialect of a program called name.
func speakACP(name string, manner acpManner) func(Options) dialect {
	return func(o Options) dialect {
		return &acpTalk{acpManner: manner, name: name, model: o.Model, patience: o.Handshake}
	}
}

// open initializes the connection, starts a session without MCP servers, signs in with existing credentials if the
// program requires it, and selects a mode that only reads, or one that asks.
func (a *acpTalk) open(ctx context.Context, p *process, req llm.Request) error {
	a.dir, a.preface = p.dir, req.System
	var is acpAgent
	hello := object{"protocolVersion": 1, "clientInfo": object{"name": "socrates", "title": "Socrates", "version": "1"},
		"clientCapabilities": object{"fs": object{"readTextFile": false, "writeTextFile": false}, "terminal": false}}
	if err := a.step(ctx, p, "initialize", hello, &is); err != nil {
		return err
	}
	if is.ProtocolVersion != 1 {
		return &trouble.Error{Kind: trouble.Malformed,
			Message: fmt.Sprintf("%s speaks version %d of ACP, not 1", a.name, is.ProtocolVersion)}
	}
	a.sees, a.version = is.AgentCapabilities.PromptCapabilities.Image, cmp.Or(is.AgentInfo.Version, is.Meta.AgentVersion)
	begin := object{"cwd": p.dir, "mcpServers": []any{}}
	var begun acpSession
	err := a.step(ctx, p, "session/new", begin, &begun)
	if method := is.silent(); err != nil && method != "" && trouble.As(err).Kind == trouble.Auth {
		if err := a.step(ctx, p, "authenticate", object{"methodId": method}, nil); err != nil {
			return err
		}
		err = a.step(ctx, p, "session/new", begin, &begun)
	}
	if err != nil {
		return err
	}
	if begun.SessionID == "" {
		return &trouble.Error{Kind: trouble.Malformed, Message: a.name + " opened a session without an id"}
	}
	a.session = begun.SessionID
	if a.model == "" {
		a.model = begun.model()
	}
	if req.Leave != nil {
		return a.calm(ctx, p, begun, careful)
	}
	return a.calm(ctx, p, begun, strict)
}

// acpAgent is what we read of the program's introduction.
type acpAgent struct {
	ProtocolVersion   int
	AgentCapabilities struct{ PromptCapabilities struct{ Image bool } }
	AuthMethods       []struct{ ID string }
	AgentInfo         struct{ Version string }
	Meta              struct{ DefaultAuthMethodID, AgentVersion string } `json:"_meta"`
}

// silent returns a way to sign in that uses existing credentials; empty if there is none. Others would open a
// browser.
func (is acpAgent) silent() string {
	for _, method := range []string{is.Meta.DefaultAuthMethodID, "cached_token", "api-key"} {
		for _, m := range is.AuthMethods {
			if method != "" && m.ID == method {
				return method
			}
		}
	}
	return ""
}

// step sends one request of the opening. It fails if the program does not answer in time.
func (a *acpTalk) step(ctx context.Context, p *process, method string, params, out any) error {
	late := &trouble.Error{Kind: trouble.Stall, Message: fmt.Sprintf("%s did not answer %s within %s", a.name, method, a.patience)}
	within, cancel := context.WithTimeoutCause(ctx, a.patience, late)
	defer cancel()
	err := a.call(within, p, method, params, out, func(line []byte) error {
		_, err := a.hear(within, p, line, func(llm.Delta) {})
		return err
	})
	if err != nil && context.Cause(within) == error(late) {
		if last := oneLine(p.errout.String()); last != "" {
			late.Message += ": " + last
		}
		return late
	}
	if e, ok := errors.AsType[*trouble.Error](err); ok && e.Kind == trouble.Crash {
		e.Message += " before it answered " + method
	}
	return err
}

// strict names the modes that prevent writing, the best first.
var strict = []string{"read-only", "plan", "ask"}

// careful names the modes that work and ask, the best first.
var careful = []string{"work", "default"}

// calm selects the first mode of names that the session offers.
func (a *acpTalk) calm(ctx context.Context, p *process, begun acpSession, names []string) error {
	if a.free {
		return nil
	}
	for _, name := range names {
		for _, m := range begun.modes() {
			switch {
			case m.id[strings.LastIndexAny(m.id, "/#")+1:] != name: // some ids are addresses
			case m.on:
				return nil
			case m.option != "":
				return a.step(ctx, p, "session/set_config_option", object{"sessionId": a.session, "configId": m.option, "value": m.id}, nil)
			default:
				return a.step(ctx, p, "session/set_mode", object{"sessionId": a.session, "modeId": m.id}, nil)
			}
		}
	}
	return nil
}

// acpSession is what we read of an opened session.
type acpSession struct {
	SessionID string
	Models    struct {
		CurrentModelID  string
		AvailableModels []struct{ ModelID, Name string }
	}
	Modes struct {
		CurrentModeID  string
		AvailableModes []struct{ ID string }
	}
	ConfigOptions []struct {
		ID           string
		CurrentValue any // a text, or a switch
		Options      []struct{ Value string }
	}
}

// acpMode is a mode of a session. option is the setting that has it as a value; empty if it is a mode in its own
// right.
type acpMode struct {
	id, option string
	on         bool
}

// modes returns all modes; a program offers them in either of two places.
func (s acpSession) modes() (all []acpMode) {
	for _, m := range s.Modes.AvailableModes {
		all = append(all, acpMode{id: m.ID, on: m.ID == s.Modes.CurrentModeID})
	}
	for _, c := range s.ConfigOptions {
		for _, o := range c.Options {
			if c.ID == "mode" {
				all = append(all, acpMode{o.Value, c.ID, o.Value == c.CurrentValue})
			}
		}
	}
	return all
}

// model returns the model the session is set to; empty if unknown.
func (s acpSession) model() string {
	for _, c := range s.ConfigOptions {
		if model, ok := c.CurrentValue.(string); ok && c.ID == "model" {
			return model
		}
	}
	for _, m := range s.Models.AvailableModels {
		if m.ModelID == s.Models.CurrentModelID && strings.Contains(m.ModelID, "|") { // one program's ids include the way of signing in
			return m.Name
		}
	}
	return s.Models.CurrentModelID
}

// ask starts a turn. Programs treat some first characters as a command and an "@" as a file to read; text written by
// another model must trigger neither.
func (a *acpTalk) ask(ctx context.Context, p *process, in prompt, req llm.Request) error {
	a.acted, a.schema, a.calls = false, req.Schema != nil, map[string]string{}
	a.text.Reset()
	a.count, a.spent = acpCount{}, a.cost
	a.retries = 0
	a.acpDoubt, a.acpWork = acpDoubt{}, newACPWork(req)
	text := withSchema(in.text, req.Schema)
	switch {
	case a.preface != "":
		text = withSystem(a.preface, text)
	case strings.IndexAny(text, "/$!@#") == 0: // else the program treats it as a command
		text = "The message begins on the next line.\n" + text
	}
	a.preface = ""
	content := []object{{"type": "text", "text": mention().ReplaceAllString(text, "(at)$1")}}
	for _, img := range in.images {
		if !a.sees {
			break // the text mentions it
		}
		content = append(content, object{"type": "image", "mimeType": img.MIME, "data": base64.StdEncoding.EncodeToString(img.Data)})
	}
	var err error
	a.asked, err = a.request(ctx, p, "session/prompt", object{"sessionId": a.session, "prompt": content})
	return err
}

// mention finds "@" before what may be a path that leads out of the folder. Programs read and send such files without
// asking, and the text may be another model's; so the "@" is separated from the path.
var mention = pattern.Of(`@([/~\\"'<({\[]|[A-Za-z]:|[^\s(]*\.\.[/\\])`)

// interrupt sends a notification: the turn then ends as cancelled.
func (a *acpTalk) interrupt(ctx context.Context, p *process) error {
	a.leave = nil
	return a.notify(ctx, p, "session/cancel", object{"sessionId": a.session})
}

// hear answers the only request that we support, and refuses others. A line that is not JSON may report an attempt.
func (a *acpTalk) hear(ctx context.Context, p *process, line []byte, say func(llm.Delta)) (*llm.End, error) {
	var l rpcLine
	if ok, err := decode(p, line, &l); !ok {
		a.retry(string(line), say)
		return nil, err
	}
	switch {
	case l.Method == "session/request_permission" && l.ID != nil:
		return nil, a.permit(ctx, p, l, say)
	case l.Method != "" && l.ID != nil:
		return nil, a.refuse(ctx, p, l)
	case l.Method == "session/update", strings.HasSuffix(l.Method, "/session_notification"): // the second is grok's
		a.update(l, say)
	case l.Method == "" && a.keep(l) == a.asked && a.asked != 0:
		delete(a.answers, a.asked)
		if more, err := a.goesOn(ctx, p, l); more || err != nil {
			return nil, err
		}
		return a.end(l, say)
	}
	return nil, nil
}

// retry reports a failed attempt, if line is about one.
func (a *acpTalk) retry(line string, say func(llm.Delta)) {
	if a.retried == nil {
		return
	}
	found := a.retried().FindStringSubmatch(line)
	if found == nil {
		return
	}
	a.retries++
	r := llm.Retry{Attempt: a.retries}
	status, why := 0, line
	for i, name := range a.retried().SubexpNames() {
		n, _ := strconv.Atoi(found[i]) // the pattern lets only digits through where a number is read
		switch {
		case name == "attempt" && found[i] != "":
			r.Attempt = n
		case name == "status":
			status = n
		case name == "why" && found[i] != "":
			why = found[i]
		}
	}
	r.Err = classify(status, why, trouble.Network)
	a.again(r, say)
}

// again reports a failed attempt. What follows is a new message.
func (a *acpTalk) again(r llm.Retry, say func(llm.Delta)) {
	a.acted = a.acted || a.text.Len() > 0
	say(llm.Delta{Retry: &r})
}

// acpUpdate is what we read of a session/update, of any kind.
type acpUpdate struct {
	SessionUpdate string
	Content       json.RawMessage // a block for a message, a list for an action
	Type, Reason  string          // of a failed attempt
	Attempt       int
	Cost          struct {
		Amount   float64
		Currency string
	}
	Meta struct {
		Usage *acpUsage
	} `json:"_meta"`
	acpAction
}

// update processes what the program reports during a turn. Sessions other than ours, which some programs keep for
// their own purposes, are ignored.
func (a *acpTalk) update(l rpcLine, say func(llm.Delta)) {
	var n struct {
		SessionID string
		Update    acpUpdate
	}
	json.Unmarshal(l.Params, &n) // fields of another shape keep their zero value
	if n.SessionID != a.session {
		return
	}
	var block struct{ Type, Text string }
	switch u := n.Update; u.SessionUpdate {
	case "agent_message_chunk":
		json.Unmarshal(u.Content, &block) // without text nothing is said
		a.chunk(block.Text, say)
		if a.count.add(u.Meta.Usage); u.Meta.Usage != nil {
			a.tell(say)
		}
	case "agent_thought_chunk":
		if json.Unmarshal(u.Content, &block); block.Text != "" {
			say(llm.Delta{Think: block.Text})
		}
	case "tool_call", "tool_call_update":
		a.act(u.acpAction, say)
		a.did(u.acpAction, u.Content, say)
	case "retry_state":
		if u.Type == "retrying" {
			a.again(llm.Retry{Attempt: u.Attempt, Err: classify(0, u.Reason, trouble.Network)}, say)
		}
	case "usage_update":
		a.calling(say)
		if u.Cost.Currency == "USD" {
			a.cost = u.Cost.Amount
			a.tell(say)
		}
	}
}

// say forwards a piece of a message. What follows an action is a new message.
func (a *acpTalk) say(text string, say func(llm.Delta)) {
	if text == "" {
		return
	}
	if a.acted {
		if a.text.Len() > 0 {
			say(llm.Delta{Text: "\n\n"})
		}
		a.text.Reset()
		a.acted = false
	}
	a.text.WriteString(text)
	a.no = ""
	say(llm.Delta{Text: text})
}

// acpResult closes a turn.
type acpResult struct {
	StopReason string
	Usage      *acpUsage
	Meta       struct {
		ModelID string
		Usage   *acpUsage
		Quota   *acpQuota
	} `json:"_meta"`
}

// end closes the turn. A turn that ends with an action has no answer: the text before only announced the action.
func (a *acpTalk) end(l rpcLine, say func(llm.Delta)) (*llm.End, error) {
	if l.Error != nil {
		return nil, l.Error.kind()
	}
	var r acpResult
	if err := json.Unmarshal(l.Result, &r); err != nil && r.StopReason == "" {
		return nil, &trouble.Error{Kind: trouble.Malformed, Message: "the end of the turn cannot be read: " + err.Error(), Err: err}
	}
	u := a.usage(r)
	u = a.acpWork.before.Add(u)
	say(llm.Delta{Usage: &u})
	if err := a.verdict(r.Usage != nil, say); err != nil {
		return nil, err
	}
	stop, known := map[string]llm.Stop{"end_turn": llm.StopDone, "max_tokens": llm.StopLength, "refusal": llm.StopRefusal}[r.StopReason]
	answer := strings.TrimSpace(a.text.String())
	switch {
	case !known:
		return nil, &trouble.Error{Kind: trouble.Crash, Message: "the turn ended as " + oneLine(r.StopReason)}
	case answer == "" && stop == llm.StopRefusal:
		return nil, &trouble.Error{Kind: trouble.Refused, Message: "the model refused to answer"}
	case answer == "" || a.acted:
		return nil, &trouble.Error{Kind: trouble.Empty, Message: "the program finished but returned no answer"}
	case a.failed != nil && a.failed(answer):
		return nil, classify(0, answer, trouble.BadRequest)
	}
	if a.schema {
		answer = unfence(answer)
	}
	if r.Meta.ModelID != "" {
		a.model = r.Meta.ModelID
	}
	if m := r.Meta.Quota.model(); m != "" {
		a.model = m
	}
	return &llm.End{Stop: stop, Usage: u, Message: llm.AssistantText(answer), Model: a.model, Program: a.version}, nil
}

// prefixed recognizes answers that begin with one of words.
func prefixed(words ...string) func(string) bool {
	return func(text string) bool {
		return slices.ContainsFunc(words, func(w string) bool { return strings.HasPrefix(text, w) })
	}
}
