// Package draft assembles an answer from a vendor's events.
//
// An adapter makes a [Draft] for each call, feeds it what comes, and calls End once the answer is whole. The draft
// keeps the order of text, thinking and calls, joins pieces that belong together, and yields each as a delta at once.
// It does not know when an answer is whole: an adapter that sees the stream end early yields an error itself and
// never calls End. A Draft is for one goroutine.
package draft

import (
	"encoding/json"
	"net/http"
	"strings"

	"github.com/socrates-cli/socrates/internal/clean"
	"github.com/socrates-cli/socrates/internal/llm"
	"github.com/socrates-cli/socrates/internal/llm/cost"
	"github.com/socrates-cli/socrates/internal/llm/trouble"
	"github.com/socrates-cli/socrates/internal/llm/wire"
)

// Draft assembles an answer from a vendor's events and forwards each step. The methods that return a bool return
// false once the reader has left; the adapter then ends its call.
type Draft struct {
	info  llm.Info
	yield func(llm.Delta, error) bool
	parts []llm.Part
	text  strings.Builder // of the growing part
	think bool            // the growing part is a Think
	calls int
	spoke bool
	Model string // the model that answers, if the vendor says so
	// Request is the vendor's id of the request, if it tells one.
	Request string
	Usage   cost.Usage
	Stop    llm.Stop // empty: StopDone
	Reason  string   // why it refused, if the vendor says so
}

// New begins an answer of the model info, which yield receives.
func New(info llm.Info, yield func(llm.Delta, error) bool) *Draft {
	return &Draft{info: info, yield: yield}
}

// Head reads the head of the vendor's answer.
func (d *Draft) Head(h http.Header) { d.Request = wire.RequestID(h) }

// Text adds prose. An empty string adds nothing.
func (d *Draft) Text(s string) bool {
	d.grow(s, false)
	d.spoke = d.spoke || s != ""
	return s == "" || d.yield(llm.Delta{Text: s}, nil)
}

// Count reports what the vendor has counted of the answer so far.
func (d *Draft) Count(u cost.Usage) bool {
	d.Usage = u
	return d.yield(llm.Delta{Usage: &u}, nil)
}

// Think adds reasoning. An empty string adds nothing.
func (d *Draft) Think(s string) bool {
	d.grow(s, true)
	return s == "" || d.yield(llm.Delta{Think: s}, nil)
}

// Sign ends the reasoning so far with the vendor's signature; the text may be empty.
func (d *Draft) Sign(signature string) {
	if signature == "" {
		return
	}
	text := ""
	if d.think {
		text = d.text.String()
		d.text.Reset()
	}
	d.Seal()
	d.parts = append(d.parts, llm.Think{Text: text, Signature: signature})
}

// SignText ends the prose so far with what its vendor attached to it; the text may be empty.
func (d *Draft) SignText(signature string) {
	if signature == "" {
		return
	}
	d.Seal()
	if n := len(d.parts) - 1; n >= 0 {
		if said, ok := d.parts[n].(llm.Text); ok {
			said.Signature = signature
			d.parts[n] = said
			return
		}
	}
	d.parts = append(d.parts, llm.Think{Signature: signature})
}

// Call adds a whole tool call. Arguments that are not a JSON object are kept as {"unparsed": text}, for the model
// to see and repair.
func (d *Draft) Call(c llm.Call) bool {
	var object map[string]json.RawMessage
	if len(c.Args) == 0 {
		c.Args = json.RawMessage("{}")
	} else if json.Unmarshal(c.Args, &object) != nil || object == nil {
		c.Args, _ = json.Marshal(map[string]string{"unparsed": string(c.Args)})
	}
	d.Seal()
	d.parts = append(d.parts, c)
	d.calls++
	return d.yield(llm.Delta{Call: &c}, nil)
}

// End closes the answer. If it has neither text nor calls but claims to be done, it fails as Empty.
func (d *Draft) End() {
	d.Seal()
	stop := d.Stop
	switch {
	case d.calls > 0 && stop != llm.StopLength && stop != llm.StopRefusal:
		stop = llm.StopTools
	case stop == "":
		stop = llm.StopDone
	}
	if stop == llm.StopDone && !d.spoke {
		d.yield(llm.Delta{}, &trouble.Error{Kind: trouble.Empty, Message: "the model returned an empty response"})
		return
	}
	d.yield(llm.Delta{End: &llm.End{Stop: stop, Usage: d.info.Price.Of(d.Usage),
		Message: llm.Message{Role: llm.Assistant, Parts: d.parts}, Model: d.Model, Reason: clean.OneLine(clean.Text(d.Reason), 300),
		Request: wire.FitID(d.Request)}}, nil)
}

// grow adds to the growing part, or begins one of the other kind.
func (d *Draft) grow(s string, think bool) {
	if s != "" && think != d.think {
		d.Seal()
		d.think = think
	}
	d.text.WriteString(s)
}

// Seal closes the growing part: what comes next is another one.
func (d *Draft) Seal() {
	if d.text.Len() == 0 {
		return
	}
	if d.think {
		d.parts = append(d.parts, llm.Think{Text: d.text.String()})
	} else {
		d.parts = append(d.parts, llm.Text{Text: d.text.String()})
	}
	d.text.Reset()
}

// Signed tags a signature with its maker, so that no vendor gets another's. An empty one stays empty.
func Signed(maker, signature string) string {
	if signature == "" {
		return ""
	}
	return maker + ":" + signature
}

// SignedBy returns what maker signed; false if the signature is another's or none.
func SignedBy(maker, signature string) (string, bool) {
	return strings.CutPrefix(signature, maker+":")
}
