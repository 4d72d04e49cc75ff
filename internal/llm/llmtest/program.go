package llmtest

import (
	"bufio"
	"bytes"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"io"
	"net/http"

	"github.com/socrates-cli/socrates/internal/llm"
)

// Program imitates a coding program that speaks Anthropic's stream-json over in and out. It asks the server at base,
// as model, about each message with the whole history. The header Seat-Process and the name of the answering model
// show its process. It returns when in ends; it has no tools and asks for no leave.
func Program(in io.Reader, out io.Writer, base, model string) {
	p := program{base: base, model: model, name: rand.Text()[:8], out: json.NewEncoder(out)}
	for lines := bufio.NewReaderSize(in, 1<<20); ; {
		line, err := lines.ReadBytes('\n')
		if err != nil {
			return
		}
		p.hear(line)
	}
}

// program is one process.
type program struct {
	base, model, system string
	name                string // of the process: process ids mean nothing across sandboxes
	said                []object
	out                 *json.Encoder
}

// hear processes one line. It ignores everything except the opening and user messages.
func (p *program) hear(line []byte) {
	var l struct {
		Type    string
		Request struct {
			Subtype      string
			SystemPrompt []string
		}
		Message object
	}
	if json.Unmarshal(line, &l) != nil {
		return
	}
	if l.Request.Subtype == "initialize" {
		p.system = fmt.Sprint(l.Request.SystemPrompt)
	}
	if l.Type != "user" {
		return
	}
	p.said = append(p.said, l.Message)
	text, usage, err := p.ask()
	result := object{"type": "result", "subtype": "success", "is_error": err != nil, "result": text, "usage": usage}
	if err != nil {
		result["result"] = "API Error: " + err.Error()
	} else {
		p.out.Encode(object{"type": "stream_event", "event": object{"type": "message_start",
			"message": object{"model": "process " + p.name}}})
		p.said = append(p.said, object{"role": llm.Assistant, "content": text})
		p.out.Encode(object{"type": "stream_event", "event": object{"type": "content_block_delta", "delta": object{"text": text}}})
	}
	p.out.Encode(result)
}

// ask sends the whole history to the server.
func (p *program) ask() (text string, usage json.RawMessage, err error) {
	body, err := json.Marshal(object{"model": p.model, "system": p.system, "messages": p.said})
	if err != nil {
		return "", nil, err
	}
	r, err := http.NewRequest("POST", p.base+"/v1/messages", bytes.NewReader(body))
	if err != nil {
		return "", nil, err
	}
	r.Header.Set("Seat-Process", p.name)
	res, err := http.DefaultClient.Do(r)
	if err != nil {
		return "", nil, err
	}
	defer res.Body.Close()
	raw, err := io.ReadAll(res.Body)
	if err != nil {
		return "", nil, err
	}
	if res.StatusCode != http.StatusOK {
		return "", nil, fmt.Errorf("%d %s", res.StatusCode, raw)
	}
	parts, err := anthropicParts(dig(raw, "content"))
	return llm.Message{Parts: parts}.Text(), dig(raw, "usage"), err
}
