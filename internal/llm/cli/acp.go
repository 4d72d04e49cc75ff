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

// acpTalk is the client's side of the Agent Client Protocol, version 1. One process holds one session. We offer neither
// files nor terminals, so the program reads by its own means, and we refuse whatever it asks leave for but reading.
type acpTalk struct {
	rpc
	acpManner
	name, model string        // the program's; the model that answers, as far as it tells
	version     string        // of the program, as it tells
	patience    time.Duration // for each step of the opening
	dir         string
	session     string
	sees        bool   // it takes images
	preface     string // the system prompt, until it was said: ACP has no place for it
	asked       int    // the session/prompt request

	acpDoubt
	summed cost.Usage // of the session, for those that count that

	retries int
	text    strings.Builder // of the last message
	acted   bool            // something was done after text
	schema  bool
	calls   map[string]string // what was told of each action
	count   acpCount
	spent   float64 // dollars of the session until this turn
	cost    float64 // and until now
	acpWork
}

// acpManner is where programs that speak ACP differ.
type acpManner struct {
	// failed recognises an answer that is an error in the words of the program; nil: it never does that.
	failed func(text string) bool
	// free: what it may do is settled before, and a stricter mode would only change its manner.
	free bool
	// aside recognises a piece of an answer that is the program's own word; nil: there are none.
	aside func(text string) (acpAside, bool)
	// sums: it counts the whole session, not the turn.
	sums bool
	// tells: each usage_update begins a call of the model, so that two in a row are a failed try.
	tells bool
	// retried matches a line that tells of a failed try. Its groups attempt and status, if it has them, are numbers,
	// and why is the reason. nil: the program does not tell.
	retried func() *regexp.Regexp
}

// speakACP is the dialect of a program called name.
func speakACP(name string, manner acpManner) func(Options) dialect {
	return func(o Options) dialect {
		return &acpTalk{acpManner: manner, name: name, model: o.Model, patience: o.Handshake}
	}
}

// open greets, starts a session without servers, signs in by what is there if the program wants that, and puts the
// session into a mode that only reads, or one that asks.
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

// acpAgent is what is read of how the program introduces itself.
type acpAgent struct {
	ProtocolVersion   int
	AgentCapabilities struct{ PromptCapabilities struct{ Image bool } }
	AuthMethods       []struct{ ID string }
	AgentInfo         struct{ Version string }
	Meta              struct{ DefaultAuthMethodID, AgentVersion string } `json:"_meta"`
}

// silent names a way to sign in that uses what is there; empty: there is none. Others would open a browser.
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

// step is one request of the opening. A program that does not answer it in time is given up.
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

// strict names modes that keep from writing, the best first.
var strict = []string{"read-only", "plan", "ask"}

// careful names modes that work and ask, the best first.
var careful = []string{"work", "default"}

// calm puts the session into the first of some modes that it offers.
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

// acpSession is what is read of an opened session.
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

// acpMode is a way a session can work in. option is the setting it is a value of; empty: it is a mode of its own.
type acpMode struct {
	id, option string
	on         bool
}

// modes are offered in either of two places.
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

// model is the one the session is set to; empty: not told.
func (s acpSession) model() string {
	for _, c := range s.ConfigOptions {
		if model, ok := c.CurrentValue.(string); ok && c.ID == "model" {
			return model
		}
	}
	for _, m := range s.Models.AvailableModels {
		if m.ModelID == s.Models.CurrentModelID && strings.Contains(m.ModelID, "|") { // one program's ids say how it is signed in
			return m.Name
		}
	}
	return s.Models.CurrentModelID
}

// ask starts a turn. A program takes some first characters for commands to itself and an "@" for a file to read;
// text that another model wrote must do neither.
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
	case strings.IndexAny(text, "/$!@#") == 0: // else the program takes it for a command to itself
		text = "The message begins on the next line.\n" + text
	}
	a.preface = ""
	content := []object{{"type": "text", "text": mention().ReplaceAllString(text, "(at)$1")}}
	for _, img := range in.images {
		if !a.sees {
			break // the text says that there is one
		}
		content = append(content, object{"type": "image", "mimeType": img.MIME, "data": base64.StdEncoding.EncodeToString(img.Data)})
	}
	var err error
	a.asked, err = a.request(ctx, p, "session/prompt", object{"sessionId": a.session, "prompt": content})
	return err
}

// mention finds "@" before what may be a path that leads out of the folder. Programs read such files and send them
// without asking for leave, and the text may be another model's; so it is set apart.
var mention = pattern.Of(`@([/~\\"'<({\[]|[A-Za-z]:|[^\s(]*\.\.[/\\])`)

// interrupt is a notification: the turn then ends as cancelled.
func (a *acpTalk) interrupt(ctx context.Context, p *process) error {
	a.leave = nil
	return a.notify(ctx, p, "session/cancel", object{"sessionId": a.session})
}

// hear serves the only request we have an answer for, and refuses others. A line that is no JSON may tell of a try.
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

// retry tells of a failed try, if line is about one.
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

// again tells of a failed try. What follows is a new message.
func (a *acpTalk) again(r llm.Retry, say func(llm.Delta)) {
	a.acted = a.acted || a.text.Len() > 0
	say(llm.Delta{Retry: &r})
}

// acpUpdate is what is read of a session/update, whatever its kind.
type acpUpdate struct {
	SessionUpdate string
	Content       json.RawMessage // of a message: a block; of an action: a list
	Type, Reason  string          // of a failed try
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

// update takes in what the program tells during a turn. Sessions other than ours, which some keep for their own
// purposes, are passed over.
func (a *acpTalk) update(l rpcLine, say func(llm.Delta)) {
	var n struct {
		SessionID string
		Update    acpUpdate
	}
	json.Unmarshal(l.Params, &n) // what is of another shape keeps its zero value
	if n.SessionID != a.session {
		return
	}
	var block struct{ Type, Text string }
	switch u := n.Update; u.SessionUpdate {
	case "agent_message_chunk":
		json.Unmarshal(u.Content, &block) // no text in it: nothing is said
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

// say passes on a piece of a message. What follows an action is a new message.
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

// end closes the turn. A turn whose last act was an action has no answer: what was said before it announced it.
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

// prefixed recognises answers that begin with one of some words.
func prefixed(words ...string) func(string) bool {
	return func(text string) bool {
		return slices.ContainsFunc(words, func(w string) bool { return strings.HasPrefix(text, w) })
	}
}
