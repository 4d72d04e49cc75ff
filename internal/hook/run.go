package hook

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/socrates-cli/socrates/internal/clean"
	"github.com/socrates-cli/socrates/internal/process"
	"github.com/socrates-cli/socrates/internal/tool"
)

const (
	mostSaid   = 1 << 20  // bytes of an answer
	mostReason = 2000     // letters of a reason
	mostTold   = 16 << 10 // bytes of what the model is told
)

// input is what a hook reads on its stdin. Fields are never removed or renamed: other people's programs read them.
type input struct {
	Event   Event           `json:"event"`
	Hook    string          `json:"hook"`
	Session string          `json:"session"`
	Cwd     string          `json:"cwd"`
	Tool    string          `json:"tool,omitempty"`
	Args    json.RawMessage `json:"args,omitempty"`
	Result  *Result         `json:"result,omitempty"`
	Answer  string          `json:"answer,omitempty"`
	Phase   string          `json:"phase,omitempty"`
	Prompt  string          `json:"prompt,omitempty"`
	Wants   []string        `json:"wants,omitempty"` // what a person is asked to allow, part by part
	Text    string          `json:"text,omitempty"`  // of a phase of a run: what its agents are told, or what they came to
	changes func(args json.RawMessage) ([]tool.Change, error)
}

// reply is what a hook may say on its stdout. No output is a reply that says nothing.
type reply struct {
	Decision Decision        `json:"decision"`
	Reason   string          `json:"reason"`
	Args     json.RawMessage `json:"args"`
	Context  string          `json:"context"`
	Text     *string         `json:"text"`
}

// denied is the exit code of a hook that denies.
const denied = 2

var errDeadline = errors.New("it took too long")

// run asks a hook. An error says that it did not come to an answer. One of another agent's form knows no call that changes several
// files: it is asked about each as an edit of that file, and the strictest answer counts.
func (h Hook) run(ctx context.Context, in input) (reply, error) {
	if h.Form != formClaude || in.changes == nil {
		return h.once(ctx, in)
	}
	all, err := in.changes(in.Args)
	if err != nil {
		return reply{}, fmt.Errorf("cannot determine which files %s changes: %w", in.Tool, err)
	}
	var strictest reply
	for _, c := range all {
		one := in
		if one.Args, err = json.Marshal(map[string]string{"path": c.Path, "old": c.Old, "new": c.New}); err != nil {
			return reply{}, err
		}
		r, err := h.once(ctx, one)
		switch {
		case err != nil:
			return reply{}, err
		case r.Args != nil && !same(r.Args, one.Args):
			return reply{}, fmt.Errorf("it changes what %s does to %s, which is not supported", in.Tool, c.Path)
		case r.Decision == Deny:
			return r, nil
		case r.Decision == Ask && strictest.Decision != Ask:
			strictest.Decision, strictest.Reason = Ask, r.Reason
		}
		strictest.Context = strings.Trim(strictest.Context+"\n"+r.Context, "\n")
	}
	return strictest, nil
}

// once asks a hook about a call as it is.
func (h Hook) once(ctx context.Context, in input) (reply, error) {
	if h.Still != nil {
		if err := h.Still(); err != nil {
			return reply{}, err
		}
	}
	in.Hook = h.Name
	body, err := json.Marshal(in)
	if h.Form == formClaude {
		body, err = claudeInput(in)
	}
	if err != nil {
		return reply{}, err
	}
	limit := h.Timeout
	if limit == 0 {
		limit = usual
	}
	outer := ctx
	ctx, cancel := context.WithTimeoutCause(ctx, limit, errDeadline)
	defer cancel()
	said, complaint := &head{most: mostSaid}, &process.Tail{Most: 4 << 10}
	code, err := h.start(ctx, in, append(body, '\n'), said, complaint)
	switch {
	case outer.Err() != nil:
		return reply{}, outer.Err()
	case ctx.Err() != nil:
		return reply{}, fmt.Errorf("it took longer than %s", limit)
	case err != nil:
		return reply{}, err
	}
	if h.Form == formClaude && !said.more {
		if said.kept, err = claudeReply(in, said.kept); err != nil && code != denied {
			return reply{}, fmt.Errorf("its answer is not a valid JSON object: %w", err)
		}
	}
	return judge(in.Event, code, said, strings.TrimSpace(clean.Text(complaint.String())))
}

// start runs the program until nothing of it is left, and returns its exit code.
func (h Hook) start(ctx context.Context, in input, body []byte, out, complaint io.Writer) (int, error) {
	env := []string{"SOCRATES_HOOK=" + string(in.Event)}
	if h.Form == formClaude {
		env = append(env, "CLAUDE_PROJECT_DIR="+in.Cwd)
	}
	cmd, err := process.Named(ctx, in.Cwd, h.Command, env...)
	if err != nil {
		return 0, err
	}
	cmd.Stdin, cmd.Stdout, cmd.Stderr = bytes.NewReader(body), out, complaint
	if err := process.Run(cmd); err != nil {
		return 0, err
	}
	return process.Code(cmd.ProcessState), nil
}

// judge makes an answer of what a hook said: of its JSON first, then of its exit code; the stricter counts. It
// fails if neither can be understood.
func judge(e Event, code int, said *head, complaint string) (reply, error) {
	r, err := parse(e, said)
	switch {
	case code == denied:
		if r.Reason == "" {
			r.Reason = complaint
		}
		r.Decision, r.Args = Deny, nil
	case err != nil:
		return reply{}, err
	case code != 0 && r.Decision != Deny:
		last := complaint[strings.LastIndexByte(complaint, '\n')+1:]
		return reply{}, errors.New(strings.TrimSuffix(fmt.Sprintf("it ended with %d: %s", code, short(last, 200)), ": "))
	}
	r.Reason = short(clean.Text(strings.TrimSpace(r.Reason)), mostReason)
	if len(r.Context) > mostTold {
		r.Context = strings.ToValidUTF8(r.Context[:mostTold], "") + "…"
	}
	r.Context = clean.Text(r.Context)
	if r.Text != nil {
		text := clean.Text(*r.Text)
		r.Text = &text
	}
	return r, nil
}

// parse reads the JSON object a hook may answer with. Before a tool nothing else may be said: a decision that is lost
// among other lines would be one that does not count.
func parse(e Event, said *head) (reply, error) {
	text := bytes.TrimSpace(said.kept)
	if len(text) == 0 || e != BeforeTool && text[0] != '{' {
		return reply{}, nil
	}
	if said.more {
		return reply{}, fmt.Errorf("its answer is longer than %d KiB", mostSaid>>10)
	}
	var r reply
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	err := d.Decode(&r)
	if err == nil {
		if _, more := d.Token(); more != io.EOF {
			err = errors.New("extra data after it")
		}
	}
	if err != nil {
		return reply{}, fmt.Errorf("its answer is not a valid JSON object: %w", err)
	}
	switch r.Decision {
	case "", Allow, Ask, Deny:
	default:
		return reply{}, fmt.Errorf("its decision is %q and not allow, ask or deny", short(clean.Line(string(r.Decision)), 40))
	}
	if string(r.Args) == "null" {
		r.Args = nil
	}
	if r.Args != nil && r.Args[0] != '{' {
		return reply{}, errors.New("the args it wrote are not a JSON object")
	}
	return r, nil
}

// short is at most so many letters of a text.
func short(s string, most int) string {
	if r := []rune(s); len(r) > most {
		return string(r[:most]) + "…"
	}
	return s
}

// head keeps the beginning of what is written to it.
type head struct {
	kept []byte
	most int
	more bool
}

// Write takes everything and keeps what fits, so that a hook never blocks on its output.
func (h *head) Write(p []byte) (int, error) {
	n := min(len(p), h.most-len(h.kept))
	h.kept = append(h.kept, p[:n]...)
	h.more = h.more || n < len(p)
	return len(p), nil
}
