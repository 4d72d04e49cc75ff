package llm

import (
	"encoding/json"
	"net/http"
	"strings"
)

// Draft puts an answer together from a vendor's events and passes each step on. The methods that report a bool are
// false once the reader has left; the adapter then ends its call.
type Draft struct {
	info  Info
	yield func(Delta, error) bool
	parts []Part
	text  strings.Builder // of the part that grows
	think bool            // the growing part is a Think
	calls int
	spoke bool
	Model string // the model that answers, if the vendor says so
	// Request is the vendor's id of the request, if it tells one.
	Request string
	Usage   Usage
	Stop    Stop // empty: StopDone
}

// NewDraft begins an answer of the model info to the reader yield.
func NewDraft(info Info, yield func(Delta, error) bool) *Draft {
	return &Draft{info: info, yield: yield}
}

// Head takes what the head of the vendor's answer says.
func (d *Draft) Head(h http.Header) { d.Request = requestID(h) }

// Text adds prose. An empty string is nothing.
func (d *Draft) Text(s string) bool {
	d.grow(s, false)
	d.spoke = d.spoke || s != ""
	return s == "" || d.yield(Delta{Text: s}, nil)
}

// Count says what the vendor has counted of the answer so far.
func (d *Draft) Count(u Usage) bool {
	d.Usage = u
	return d.yield(Delta{Usage: &u}, nil)
}

// Think adds reasoning. An empty string is nothing.
func (d *Draft) Think(s string) bool {
	d.grow(s, true)
	return s == "" || d.yield(Delta{Think: s}, nil)
}

// Sign ends the reasoning so far with the vendor's signature, which may stand without text.
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
	d.parts = append(d.parts, Think{text, signature})
}

// SignText ends the prose so far with what its vendor attached to it, which may stand without text.
func (d *Draft) SignText(signature string) {
	if signature == "" {
		return
	}
	d.Seal()
	if n := len(d.parts) - 1; n >= 0 {
		if said, ok := d.parts[n].(Text); ok {
			said.Signature = signature
			d.parts[n] = said
			return
		}
	}
	d.parts = append(d.parts, Think{Signature: signature})
}

// Call adds a whole tool call. Arguments that are not a JSON object are kept as {"unparsed": text}, for the model
// to see and repair.
func (d *Draft) Call(c Call) bool {
	var object map[string]json.RawMessage
	if len(c.Args) == 0 {
		c.Args = json.RawMessage("{}")
	} else if json.Unmarshal(c.Args, &object) != nil || object == nil {
		c.Args, _ = json.Marshal(map[string]string{"unparsed": string(c.Args)})
	}
	d.Seal()
	d.parts = append(d.parts, c)
	d.calls++
	return d.yield(Delta{Call: &c}, nil)
}

// End closes the answer. One without text and calls that claims to be done fails as Empty.
func (d *Draft) End() {
	d.Seal()
	stop := d.Stop
	switch {
	case d.calls > 0 && stop != StopLength && stop != StopRefusal:
		stop = StopTools
	case stop == "":
		stop = StopDone
	}
	if stop == StopDone && !d.spoke {
		d.yield(Delta{}, &Error{Kind: Empty, Message: "the model returned an empty response"})
		return
	}
	d.yield(Delta{End: &End{Stop: stop, Usage: d.info.Price.Of(d.Usage), Message: Message{Assistant, d.parts}, Model: d.Model,
		Request: fitID(d.Request)}}, nil)
}

func (d *Draft) grow(s string, think bool) {
	if s != "" && think != d.think {
		d.Seal()
		d.think = think
	}
	d.text.WriteString(s)
}

// Seal makes a part of the text that grew: what comes next is another one.
func (d *Draft) Seal() {
	if d.text.Len() == 0 {
		return
	}
	if d.think {
		d.parts = append(d.parts, Think{Text: d.text.String()})
	} else {
		d.parts = append(d.parts, Text{Text: d.text.String()})
	}
	d.text.Reset()
}

// Signed tags a signature with its maker, so that no vendor is handed another's. An empty one stays empty.
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
