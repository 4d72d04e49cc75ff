package door

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/socrates-cli/socrates/internal/debate/people"
	"github.com/socrates-cli/socrates/internal/engine/rooms"
	"github.com/socrates-cli/socrates/internal/failure"
)

// further is a request to continue waiting.
type further struct {
	Debate string `json:"debate" jsonschema:"the debate's name, as an earlier answer gave it"`
	After  string `json:"after,omitempty" jsonschema:"the value of after in the last answer; only later events are returned"`
	Wait   *int   `json:"wait,omitempty" jsonschema:"seconds to wait for the decision before answering with state running"`
}

// saying is a message to a debate.
type saying struct {
	Debate string `json:"debate" jsonschema:"the debate's name"`
	Text   string `json:"text" jsonschema:"a fact or a constraint the seats must know; they read it with their next question"`
}

// named is a request about one debate.
type named struct {
	Debate string `json:"debate" jsonschema:"the debate's name"`
}

// query is a search for decisions.
type query struct {
	Words string `json:"query,omitempty" jsonschema:"words the decision must contain; empty: the newest decisions"`
	Most  int    `json:"limit,omitempty" jsonschema:"maximum number; default: 10"`
}

// request and reply are short names of the SDK's types.
type (
	request = *mcp.CallToolRequest
	reply   = *mcp.CallToolResult
)

// addTools offers the tools. All are marked as reading: nothing here changes the project, and a client that asks a
// person before each writing call would ask on every wait.
func (d *door) addTools(s *mcp.Server) {
	if !d.ReadOnly {
		add(s, "debate", d.AtOnce, d.debate)
		add(s, "debate_say", nil, d.say)
		add(s, "debate_stop", nil, d.stop)
	}
	add(s, "debate_wait", d.AtOnce, d.wait)
	add(s, "decisions_search", nil, d.search)
	add(s, "decision_show", nil, d.show)
}

// add offers a tool of the table. An error of the handler becomes the tool's answer and not one of the protocol:
// models read answers. The SDK gets one type of tool for all: instances for each type of arguments and answer would
// add 70 kB to the program.
func add[In, Out any](s *mcp.Server, name string, meta map[string]any, h mcp.ToolHandlerFor[In, Out]) {
	offer(s, name, meta, reflect.TypeFor[In](), reflect.TypeFor[Out](),
		func(ctx context.Context, req request, raw json.RawMessage) (reply, any, error) {
			var in In
			if err := json.Unmarshal(raw, &in); err != nil {
				return nil, nil, err
			}
			return h(ctx, req, in)
		})
}

// offer is add without types. The SDK has validated the arguments, and validates the answer.
func offer(s *mcp.Server, name string, meta map[string]any, in, out reflect.Type, h mcp.ToolHandlerFor[json.RawMessage, any]) {
	said := Tools[slices.IndexFunc(Tools, func(t Tool) bool { return t.Name == name })]
	answer, err := jsonschema.ForType(out, &jsonschema.ForOptions{})
	if err != nil {
		panic("door: " + err.Error()) // as schemaOf
	}
	t := &mcp.Tool{Meta: meta, Name: name, Title: said.Title, Description: said.Doc, InputSchema: schemaOf(in), OutputSchema: answer,
		Annotations: &mcp.ToolAnnotations{Title: said.Title, ReadOnlyHint: true, IdempotentHint: true, OpenWorldHint: new(true)}}
	s.AddReceivingMiddleware(worded(t))
	mcp.AddTool(s, t, func(ctx context.Context, req request, raw json.RawMessage) (reply, any, error) {
		res, out, err := h(ctx, req, raw)
		return res, out, plainly(err)
	})
}

// worded says in our words what the SDK refuses of a tool's arguments: its own are a library's, and the first of them
// names no field. Calls without an error pass unchanged.
func worded(t *mcp.Tool) mcp.Middleware {
	return func(next mcp.MethodHandler) mcp.MethodHandler {
		return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
			out, err := next(ctx, method, req)
			call, ok := req.(request)
			if !ok || call.Params.Name != t.Name || err != nil {
				return out, err
			}
			res, ok := out.(reply)
			if !ok || !res.IsError || len(res.Content) != 1 {
				return out, err
			}
			if text, ok := res.Content[0].(*mcp.TextContent); ok && strings.HasPrefix(text.Text, "validating \"arguments\"") {
				raw := []byte(cmp.Or(string(call.Params.Arguments), "{}"))
				if what, hint := Misfit(t.InputSchema.(*jsonschema.Schema), raw); what != "" {
					text.Text = strings.TrimSuffix(what+"; "+hint, "; ")
				}
			}
			return out, err
		}
	}
}

// plainly makes an error readable for a model: what went wrong, then what to do. A cancelled call keeps its error,
// which the SDK knows.
func plainly(err error) error {
	if err == nil || errors.Is(err, context.Canceled) {
		return err
	}
	f := failure.Explain(err)
	if f.Hint == "" {
		return errors.New(f.Message)
	}
	return errors.New(f.Message + "; " + f.Hint)
}

// refuseSeats prevents endless recursion: a seat that answers a question by starting a debate on it.
func (d *door) refuseSeats() error {
	if d.Seated {
		return errors.New("a seat of a debate cannot start or steer debates; answer the question yourself")
	}
	return nil
}

// debate starts a debate, or joins the one that the same request started, and waits for it. A call with a signed
// state is the person's answer to a form.
func (d *door) debate(ctx context.Context, req request, in Ask) (reply, Answer, error) {
	if err := d.refuseSeats(); err != nil {
		return nil, Answer{}, err
	}
	if err := in.check(); err != nil {
		return nil, Answer{}, err
	}
	if req.Params.RequestState != "" {
		return d.chosen(ctx, req)
	}
	in.Client = d.client(req)
	until := deadline(in.Wait)
	p := d.progress(ctx, req)
	p.tell("starting the debate")
	at, err := d.start(ctx, in, p)
	if err != nil {
		return nil, Answer{}, err
	}
	return d.answer(ctx, req, at, until, p)
}

// wait continues to wait for a debate, from the client's position.
func (d *door) wait(ctx context.Context, req request, in further) (reply, Answer, error) {
	if req.Params.RequestState != "" {
		return d.chosen(ctx, req)
	}
	return d.answer(ctx, req, position{room: strings.TrimSpace(in.Debate), cursor: cursorOf(in.After)}, deadline(in.Wait),
		d.progress(ctx, req))
}

// deadline returns when a call must have answered.
func deadline(wait *int) time.Time {
	s := usualWait
	if wait != nil {
		s = *wait
	}
	return time.Now().Add(time.Duration(s) * time.Second)
}

// client returns who asks, for the record.
func (d *door) client(req request) string {
	if c := req.ClientInfo(); c != nil {
		return clip(d.Clean(strings.TrimSpace(c.Name+" "+c.Version)), 80) + " (MCP)"
	}
	return "MCP"
}

// say gives the seats a fact. A client may add facts but not steer: commands are refused.
func (d *door) say(ctx context.Context, req request, in saying) (reply, Told, error) {
	if err := d.refuseSeats(); err != nil {
		return nil, Told{}, err
	}
	text := strings.TrimSpace(in.Text)
	switch {
	case text == "":
		return nil, Told{}, errors.New("the message is empty")
	case strings.HasPrefix(text, "/"): // they drop seats, veto claims and decide
		return nil, Told{}, errors.New("only the person can give commands; they can type: socrates debate tell " +
			in.Debate + " \"" + text + "\"")
	}
	return d.tell(ctx, in.Debate, text)
}

// stop decides the debate from the replies so far. It is the one command that a client may give: it costs nothing and
// loses little.
func (d *door) stop(ctx context.Context, _ request, in named) (reply, Told, error) {
	if err := d.refuseSeats(); err != nil {
		return nil, Told{}, err
	}
	return d.tell(ctx, in.Debate, "/"+people.Answer)
}

// tell sends a message to a debate that another process runs. If no process runs it, the message would only be read
// on resume, so it is refused.
func (d *door) tell(ctx context.Context, room, text string) (reply, Told, error) {
	e, err := d.open(ctx)
	if err != nil {
		return nil, Told{}, err
	}
	info, err := rooms.In(e).Info(ctx, strings.TrimSpace(room))
	if err != nil {
		return nil, Told{}, err
	}
	if !info.Running {
		return nil, Told{}, errors.New("debate " + info.Room + " is not running; read it with decision_show or debate_wait")
	}
	if err := d.sayTo(ctx, info.Room, text); err != nil {
		return nil, Told{}, err
	}
	out := Told{Debate: info.Room, Text: "Delivered. Call debate_wait to see the effect."}
	return result(out.Text), out, nil
}

// Told is the answer to a message.
type Told struct {
	Debate string `json:"debate"`
	Text   string `json:"text"`
}

// result makes an answer from a text.
func result(text string) reply {
	return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: text}}}
}

// clip shortens a text to n bytes, at a character.
func clip(s string, n int) string {
	if len(s) <= n {
		return s
	}
	return strings.ToValidUTF8(s[:n-len("…")], "") + "…"
}
