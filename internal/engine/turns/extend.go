package turns

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync"

	"github.com/socrates-cli/socrates/internal/engine"
	"github.com/socrates-cli/socrates/internal/hook"
	"github.com/socrates-cli/socrates/internal/llm"
	"github.com/socrates-cli/socrates/internal/permission"
	"github.com/socrates-cli/socrates/internal/phase"
	"github.com/socrates-cli/socrates/internal/talk"
	"github.com/socrates-cli/socrates/internal/tool"
	"github.com/socrates-cli/socrates/internal/tree"
)

// Extension is what the person, and the approved parts of a project, add to a conversation. It is opened once for a
// conversation in this process and closed with the engine.
type Extension struct {
	Tools []tool.Tool // of servers
	Hooks hook.Set
	Notes []string // for the person: what was omitted and why
	// Prompt returns the text of a server's prompt that a person typed as /mcp:SERVER:PROMPT with arguments; nil: there are no servers.
	Prompt func(ctx context.Context, line string) (string, error)
	// Prompts lists the prompts that can be typed that way; nil: there are no servers.
	Prompts func(ctx context.Context) []phase.Command
	Close   func() // ends what was started; nil: nothing was
}

// added is the extension of a turn's conversation, with messages about it.
type added struct {
	*recorder
	extension Extension
	mu        sync.Mutex // guards the rest
	notes     []string   // for the person
	told      string     // text from a hook for the model, at the beginning
}

// extend opens the extension of a conversation, once in this process.
func (w *added) extend(ctx context.Context, bare bool) error {
	open := w.lib.wiring.Extend
	if open == nil || bare {
		return nil
	}
	w.lib.mu.Lock()
	d := w.lib.state(w.t.Root)
	// The lock is not held while servers start, which may take seconds. Nobody else can open the extension: the
	// conversation's lock is held.
	have := d.extension
	w.lib.mu.Unlock()
	if have == nil {
		var taken []string
		for _, t := range w.lib.wiring.Tools {
			taken = append(taken, t.Name)
		}
		x, err := open(ctx, w.t.Dir, w.t.Name, taken)
		if err != nil {
			return err
		}
		w.lib.mu.Lock()
		d.extension, have = &x, &x
		w.lib.mu.Unlock()
		w.notes = append(w.notes, x.Notes...)
		if answer, err := x.Hooks.Start(ctx); err != nil {
			return err
		} else if w.notes = append(w.notes, answer.Warnings...); answer.Context != "" {
			w.told = answer.Context
		}
	}
	w.extension = *have
	return nil
}

// Prompts lists the prompts of the MCP servers of a conversation in a folder. They are known once its first turn in this process has
// connected the servers; until then there is a line for each server, whose prompts can be typed all the same. root is empty for a
// conversation that has not begun.
func (l *Library) Prompts(ctx context.Context, root tree.ID, dir string) (out []phase.Command) {
	var have *Extension
	l.mu.Lock()
	if d := l.states[root]; d != nil {
		have = d.extension
	}
	l.mu.Unlock()
	switch {
	case have != nil && have.Prompts != nil:
		return have.Prompts(ctx)
	case have == nil && l.wiring.Servers != nil:
		for _, name := range l.wiring.Servers(dir) {
			out = append(out, phase.Command{Name: "mcp:" + name + ":", Args: "PROMPT",
				Doc: "prompts of this MCP server: listed after the first message, which connects it"})
		}
	}
	return out
}

// tell tells the hooks the message and the phase, each of which they may refuse; from is empty at the beginning of a conversation. Text
// from a hook is shown to the model beside the message, as a notice. A server's prompt replaces the command that was typed: strangers may
// have written it, as the nodes record.
func (w *added) tell(ctx context.Context, op *Say, from, to string) (nodes []tree.Node, err error) {
	if !op.Aside && from != to {
		a, err := w.extension.Hooks.Phase(ctx, from, to)
		w.collect(a)
		if err != nil {
			return nil, err
		}
	}
	if op.Again {
		return nil, nil
	}
	if strings.HasPrefix(op.Text, "/mcp:") {
		if err := w.expandPrompt(ctx, op); err != nil {
			return nil, err
		}
		w.taint()
		nodes = append(nodes, talk.JudgeKind.New("", "code", talk.Judged{Call: "prompt", Tool: "prompt", Verdict: "allow", Brings: true,
			Reason: "the prompt comes from an MCP server"}))
	}
	if op.Aside {
		return nodes, nil
	}
	a, err := w.extension.Hooks.Prompt(ctx, strings.TrimSpace(op.Text+"\n"+op.Data))
	if err == nil && a.Decision == hook.Deny {
		err = &engine.Refusal{Message: "refused by the hook " + a.By + ": " + a.Reason}
	}
	w.collect(a)
	return nodes, err
}

// collect keeps the hooks' answers for the notices.
func (w *added) collect(a hook.Answer) {
	w.notes = append(w.notes, a.Warnings...)
	w.told = strings.Trim(w.told+"\n"+a.Context, "\n")
}

// expandPrompt replaces the command that was typed by the text of a server's prompt.
func (w *added) expandPrompt(ctx context.Context, op *Say) error {
	if w.extension.Prompt == nil {
		return &engine.Refusal{Message: "no MCP server is connected", Hint: "list servers: socrates mcp list"}
	}
	text, err := w.extension.Prompt(ctx, op.Text)
	if err != nil {
		return &engine.Refusal{Message: err.Error(), Hint: "list prompts: socrates mcp prompts SERVER"}
	}
	op.Text, op.Typed = text, op.Text
	return nil
}

// compactHooks tells the hooks that the conversation is about to be summarized; the nodes are their notices, to add after the summary.
func (w *added) compactHooks(ctx context.Context) ([]tree.Node, error) {
	a, err := w.extension.Hooks.Compact(ctx)
	w.mu.Lock()
	defer w.mu.Unlock()
	w.notes, w.told = append(w.notes, a.Warnings...), a.Context
	return w.notices(), err
}

// hookAnswer is the answer of a hook on the person's behalf, which can only be no; if answered is false, the person is asked. A hook
// cannot say yes: it may be a program of the project, and only the person can approve.
func (w *added) hookAnswer(ctx context.Context, r permission.Request) (a permission.Answer, answered bool, err error) {
	var wants []string
	for _, p := range r.Decision.Parts {
		if p.Verdict == permission.Ask {
			wants = append(wants, p.Text)
		}
	}
	said, err := w.extension.Hooks.Permission(ctx, r.Tool, wants)
	if err == nil {
		err = w.warn(ctx, said.Warnings)
	}
	return permission.Answer{Choice: "deny", Reason: "the hook " + said.By + ": " + said.Reason}, said.Decision == hook.Deny, err
}

// notices returns the messages about the extension, each once.
func (w *added) notices() (nodes []tree.Node) {
	for _, text := range w.notes {
		nodes = append(nodes, talk.NoticeKind.New("", "code", talk.Notice{Text: text}))
	}
	if w.told != "" {
		nodes = append(nodes, talk.NoticeKind.New("", "code", talk.Notice{Text: w.told, Model: true}))
	}
	w.notes, w.told = nil, ""
	return nodes
}

// mostMissing is how often an answer is sent back because a hook says that something is missing.
const mostMissing = 3

// answerWithHooks returns an answer in which the hooks find nothing missing, or the last one.
func (w *turn) answerWithHooks(ctx context.Context) (llm.End, error) {
	// A hook that is never satisfied costs three more answers at most; the last one counts.
	for again := 0; ; again++ {
		end, err := w.answer(ctx)
		if err != nil {
			return end, err
		}
		missing, err := w.added.doneHooks(ctx, end.Message.Text())
		if most := w.op.Limits.Turns; err != nil || missing == "" || again == mostMissing || most > 0 && w.calls >= most {
			return end, err
		}
		x := talk.Exchange{Messages: []llm.Message{end.Message, llm.UserText(missing)}, Model: w.model.Info().ID, Usage: end.Usage}
		if err := w.add(context.WithoutCancel(ctx), talk.ExchangeKind.New("", w.model.Info().ID, x)); err != nil {
			return end, err
		}
	}
}

// doneHooks tells the hooks the answer, and returns what one of them finds missing.
func (w *added) doneHooks(ctx context.Context, answer string) (string, error) {
	a, err := w.extension.Hooks.TurnDone(ctx, answer)
	if err != nil {
		return "", err
	}
	if err := w.warn(ctx, a.Warnings); err != nil || a.Decision != hook.Deny {
		return "", err
	}
	return fmt.Sprintf("[the hook %s says that the work is not done] %s", a.By, a.Reason), nil
}

// warn records what the person should know about hooks.
func (w *added) warn(ctx context.Context, texts []string) error {
	if len(texts) == 0 {
		return nil
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.notes = texts
	return w.add(context.WithoutCancel(ctx), w.notices()...)
}

// hooked wraps a tool so that the hooks see its calls before and after. A hook can only tighten: what it lets pass is judged by the rules
// like any other call, with the arguments as the hook changed them.
func (w *turn) hooked(t tool.Tool) tool.Tool {
	if len(w.added.extension.Hooks.Hooks) == 0 {
		return t
	}
	run := t.Run
	t.Run = func(ctx context.Context, args json.RawMessage, env tool.Env) (tool.Output, error) {
		// Hooks see the arguments as the tool will get them, not as the model wrote them.
		args, err := t.Fitted(args)
		if err != nil {
			return tool.Output{}, err
		}
		call := hook.Call{Tool: t.Name, Args: args, Changes: t.Changes}
		before, err := w.added.askHooks(ctx, w.gate(env.Call), call, true)
		if err != nil {
			return tool.Output{}, err
		}
		told := []string{before.Context}
		if before.Args != nil {
			call.Args = before.Args
			told = append(told, "the arguments were changed to "+string(before.Args))
		}
		out, err := run(ctx, call.Args, env)
		result := hook.Result{Text: out.Text}
		if err != nil {
			result = hook.Result{Text: err.Error(), Failed: true}
		}
		// If a hook fails afterwards, the call fails, even though it was made: what a check could not examine must not pass as checked.
		after, failed := w.added.extension.Hooks.After(ctx, call, result)
		if failed == nil {
			failed = w.added.warn(ctx, after.Warnings)
		}
		if failed != nil {
			return out, failed
		}
		for _, text := range append(told, after.Context) {
			switch {
			case text == "":
			case err != nil:
				err = fmt.Errorf("%w\n[a hook says] %s", err, text)
			default:
				out.Text = strings.TrimRight(out.Text, "\n") + "\n[a hook says] " + text + "\n"
			}
		}
		return out, err
	}
	return t
}

// askHooks asks the hooks about a call before it is made. An error means that it must not be made. Unless canChange is set, a hook that
// wants other arguments refuses the call.
func (w *added) askHooks(ctx context.Context, gate *permission.Gate, call hook.Call, canChange bool) (hook.Answer, error) {
	before, err := w.extension.Hooks.Before(ctx, call)
	if err == nil {
		err = w.warn(ctx, before.Warnings)
	}
	switch {
	case err != nil:
	case before.Decision == hook.Deny:
		err = fmt.Errorf("refused by the hook %s: %s", before.By, before.Reason)
	case before.Args != nil && !canChange:
		err = fmt.Errorf("refused: a hook wants other arguments: %s", before.Args)
	case before.Decision == hook.Ask:
		err = gate.Insist(ctx, call.Tool, call.Tool+" "+string(call.Args),
			fmt.Sprintf("the hook %s requires approval: %s", before.By, before.Reason))
	}
	return before, err
}

// gate returns the gate for one call of this turn.
func (w *turn) gate(call string) *permission.Gate {
	// A task uses the files and questions of the person's turn.
	top := topTurn(w)
	g := &permission.Gate{Policy: w.policy, Before: top.files.before, Record: w.recordDecision(call)}
	if w.lib.wiring.Attended {
		g.Ask = func(ctx context.Context, r permission.Request) (permission.Answer, error) {
			if a, answered, err := w.added.hookAnswer(ctx, r); err != nil || answered {
				return a, err
			}
			return top.ask(ctx, r)
		}
	}
	return g
}
