package door

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/socrates-cli/socrates/internal/debate"
	"github.com/socrates-cli/socrates/internal/debate/document"
	"github.com/socrates-cli/socrates/internal/debate/people"
	"github.com/socrates-cli/socrates/internal/engine/rooms"
)

// later is the answer of a person who does not want to decide now.
const later = "decide later"

// choice is the field of the form, and the name of the request for it.
const choice = "choice"

// asksPerson reports whether a person must still decide.
func asksPerson(res debate.Result) bool { return res.Ended && res.NeedsPerson && res.Ruling == nil }

// canAsk reports whether a client can ask its person to choose: it may change something, can show a form, and nobody
// was asked about this debate before. The question is remembered before it is asked: two calls at once must not show
// two forms.
func (d *door) canAsk(req request, room string) bool {
	c := req.ClientCapabilities()
	if d.ReadOnly || c == nil || c.Elicitation == nil || c.Elicitation.Form == nil && c.Elicitation.URL != nil {
		return false
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	asked := d.elicited[room]
	d.elicited[room] = true
	return !asked
}

// shownKey is the context key for whether a call asks its person.
type shownKey struct{}

// withoutForm answers a call again if the client did not show its form: it declared that it shows forms, and answered
// ours with an error, which would be all that its model reads. The person counts as asked, so the second answer says
// what they can type.
func withoutForm(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
		shown := false
		res, err := next(context.WithValue(ctx, shownKey{}, &shown), method, req)
		if err != nil && shown && ctx.Err() == nil {
			return next(ctx, method, req)
		}
		return res, err
	}
}

// elicit asks the client's person for a decision that the debate left open. The client calls again with the answer.
func (d *door) elicit(ctx context.Context, res debate.Result) reply {
	if shown, ok := ctx.Value(shownKey{}).(*bool); ok {
		*shown = true
	}
	var about strings.Builder
	fmt.Fprintf(&about, "The debate %s asks a person to decide: %s.\n\n%s\n", res.Room, strings.Join(document.Of(res).Call.Reasons, "; "),
		flat(res.Question, 500))
	keys := []any{}
	for _, o := range res.Options {
		fmt.Fprintf(&about, "%s: %s\n", o.Key, flat(o.Text, 200))
		keys = append(keys, o.Key)
	}
	form := &jsonschema.Schema{Type: "object", Required: []string{choice}, Properties: map[string]*jsonschema.Schema{
		choice:   {Type: "string", Title: "Decision", Description: "An option, or " + later, Enum: append(keys, later)},
		"reason": {Type: "string", Title: "Reason", Description: "In a sentence, for the record"}}}
	ask := &mcp.ElicitParams{Mode: "form", Message: clip(d.Clean(about.String()), 4000), RequestedSchema: form}
	return &mcp.CallToolResult{RequestState: d.sign(res.Room), InputRequests: mcp.InputRequestMap{choice: ask}}
}

// chosen records the person's choice, if any, and answers with the new state of the debate. A debate that was decided
// meanwhile is left unchanged. The record says that the choice came through a client.
func (d *door) chosen(ctx context.Context, req request) (reply, Answer, error) {
	if err := d.refuseSeats(); err != nil {
		return nil, Answer{}, err
	}
	room, err := d.verify(req.Params.RequestState)
	if err != nil {
		return nil, Answer{}, err
	}
	e, err := d.open(ctx)
	if err != nil {
		return nil, Answer{}, err
	}
	res, err := rooms.Named(ctx, rooms.In(e), room)
	if err != nil {
		return nil, Answer{}, err
	}
	key, why := chosenOf(req.Params.InputResponses[choice], res)
	if key != "" && asksPerson(res) {
		if err := d.sayTo(ctx, room, "/"+people.Choose+" "+key+" "+flat(why+" (chosen in "+d.client(req)+")", 300)); err != nil {
			return nil, Answer{}, err
		}
	}
	return d.answer(ctx, req, position{room: room}, time.Now(), d.progress(ctx, req))
}

// chosenOf returns the option a person chose and their reason; empty: they did not choose. Declining, cancelling and
// "decide later" choose nothing, as does an unknown key.
func chosenOf(r mcp.InputResponse, res debate.Result) (key, why string) {
	form, ok := r.(*mcp.ElicitResult)
	if !ok || form.Action != "accept" {
		return "", ""
	}
	key, _ = form.Content[choice].(string)
	why, _ = form.Content["reason"].(string)
	for _, o := range res.Options {
		if o.Key == key {
			return key, strings.TrimSpace(why)
		}
	}
	return "", ""
}

// sign makes the state that a client returns to us: nobody can make one for another debate, or for a person who was
// not asked.
func (d *door) sign(room string) string { return room + "." + hex.EncodeToString(d.mac(room)) }

// mac proves that we made a state.
func (d *door) mac(room string) []byte {
	h := hmac.New(sha256.New, d.secret)
	h.Write([]byte(room))
	return h.Sum(nil)
}

// verify returns the debate of a state. A client's model sees the state and could change it, but cannot make a valid
// one.
func (d *door) verify(state string) (room string, err error) {
	room, sum, _ := strings.Cut(state, ".")
	raw, err := hex.DecodeString(sum)
	if err != nil || !hmac.Equal(raw, d.mac(room)) {
		return "", errors.New("this requestState was not made by this server; call the tool again without it")
	}
	return room, nil
}
