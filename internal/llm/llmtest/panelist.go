package llmtest

import (
	"context"
	"hash/fnv"
	"slices"
	"strings"

	"github.com/socrates-cli/socrates/internal/llm"
)

// Panelist answers every request through one of models, chosen by the name of the model that was asked for, so that
// seats of different names hold different opinions. Tools are offered to it only if they are ours: other programs
// bring their own under other names. What no model can answer is echoed. It must be given at least one. It does not
// look at the reply's form: what is asked stands in the prompt.
func Panelist(models ...llm.Model) func(Ask) Reply {
	return func(a Ask) Reply {
		h := fnv.New32a()
		h.Write([]byte(a.Model))
		m := models[int(h.Sum32())%len(models)]
		req := llm.Request{System: a.System, Messages: joined(a.Messages)}
		for _, t := range a.Tools {
			if t.Name == "grep" {
				req.Tools = a.Tools
			}
		}
		end, err := llm.Collect(m.Stream(context.Background(), req))
		if err != nil {
			told := strings.TrimSpace(a.Last())
			return Reply{Text: "You said: " + told[strings.LastIndex(told, "\n")+1:]}
		}
		return Reply{Text: end.Message.Text(), Calls: end.Message.Calls()}
	}
}

// query copies parts. Of a message in which a program puts marks around what it was told, it takes only that.
func query(parts []llm.Part) []llm.Part {
	for _, p := range parts {
		t, _ := p.(llm.Text)
		if inner, ok := strings.CutPrefix(strings.TrimSpace(t.Text), "<user_query>"); ok {
			return []llm.Part{llm.Text{Text: strings.TrimSuffix(inner, "</user_query>")}}
		}
	}
	return slices.Clone(parts)
}

// joined puts neighbouring messages of one role together: some protocols send every call and result by itself.
func joined(messages []llm.Message) []llm.Message {
	var out []llm.Message
	names := map[string]string{}
	for _, m := range messages {
		m.Parts = query(m.Parts)
		for i, p := range m.Parts {
			switch p := p.(type) {
			case llm.Text:
				if m.Role == llm.User { // what begins a line in one part still does when they stand together
					m.Parts[i] = llm.Text{Text: strings.TrimSuffix(p.Text, "\n") + "\n"}
				}
			case llm.Call:
				names[p.ID] = p.Name
			case llm.Result:
				if p.Name == "" {
					p.Name = names[p.ID]
					m.Parts[i] = p
				}
			}
		}
		if n := len(out); n > 0 && out[n-1].Role == m.Role {
			out[n-1].Parts = append(out[n-1].Parts[:len(out[n-1].Parts):len(out[n-1].Parts)], m.Parts...)
		} else {
			out = append(out, m)
		}
	}
	return out
}
