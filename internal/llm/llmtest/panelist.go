package llmtest

import (
	"context"
	"hash/fnv"
	"slices"
	"strings"

	"github.com/socrates-cli/socrates/internal/llm"
)

// Panelist answers every request through one of models, chosen by the name of the model that was asked for, so that
// seats of different names hold different opinions. It gets only tools of ours: other programs bring their own under
// other names. A request that no model can answer is echoed. At least one model is required. It ignores the reply's
// form: the prompt says what is asked.
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

// query copies parts. If a program puts marks around the message it got, only the marked text is copied.
func query(parts []llm.Part) []llm.Part {
	for _, p := range parts {
		t, _ := p.(llm.Text)
		if inner, ok := strings.CutPrefix(strings.TrimSpace(t.Text), "<user_query>"); ok {
			return []llm.Part{llm.Text{Text: strings.TrimSuffix(inner, "</user_query>")}}
		}
	}
	return slices.Clone(parts)
}

// joined merges neighboring messages of one role: some protocols send every call and result by itself.
func joined(messages []llm.Message) []llm.Message {
	var out []llm.Message
	names := map[string]string{}
	for _, m := range messages {
		m.Parts = query(m.Parts)
		for i, p := range m.Parts {
			switch p := p.(type) {
			case llm.Text:
				if m.Role == llm.User { // the beginning of a part stays the beginning of a line
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
