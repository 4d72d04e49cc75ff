package llmtest

import (
	"bufio"
	"encoding/json"
	"io"
	"time"

	"github.com/socrates-cli/socrates/internal/llm"
	"github.com/socrates-cli/socrates/internal/llm/llmtest/fault"
)

// Pi imitates the program pi in its rpc mode over in and out: answer gets each prompt with the whole history. It
// returns when in ends, or silently at a fault that the protocol cannot express. A stalled answer never comes.
func Pi(in io.Reader, out io.Writer, model string, answer func([]llm.Message) Reply) {
	var said []llm.Message
	say := json.NewEncoder(out)
	for lines := bufio.NewReader(in); ; {
		line, err := lines.ReadBytes('\n')
		if err != nil {
			return
		}
		var command struct{ ID, Type, Message string }
		json.Unmarshal(line, &command) // anything but a command has no type
		if command.Type != "prompt" {
			say.Encode(object{"type": "response", "id": command.ID, "command": command.Type, "success": true})
			continue
		}
		said = append(said, llm.UserText(command.Message))
		r := answer(said)
		said = append(said, llm.AssistantText(r.Text))
		message := object{"role": "assistant", "model": model, "stopReason": "stop", "content": []object{{"type": "text", "text": r.Text}},
			"usage": object{"input": 9, "output": 9}}
		failed := func(why string) {
			message["stopReason"], message["errorMessage"], message["content"] = "error", why, []object{}
		}
		switch r.Fault {
		case "":
		case fault.Limited:
			failed("429 slow down")
		case fault.Refused:
			failed("Provider finish_reason: content_filter")
		case fault.Stall:
			time.Sleep(time.Hour)
		default:
			return
		}
		say.Encode(object{"type": "message_end", "message": message})
		say.Encode(object{"type": "agent_end"})
	}
}
