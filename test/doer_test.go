package test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
)

// doer acts out a coding program that speaks Anthropic's stream-json and does what it is told, line by line: "ask TOOL JSON" asks leave
// for a use of a tool and does it if it is let, "do COMMAND" asks nobody, "say TEXT" says it, "take N" begins a request to its model of N
// tokens. Its answer says what of it worked.
type doer struct {
	in    *bufio.Reader
	asks  bool // somebody wants to be asked
	calls int
}

func doerProgram() {
	d := doer{in: bufio.NewReaderSize(os.Stdin, 1<<20)}
	for {
		line, err := d.in.ReadBytes('\n')
		if err != nil {
			return
		}
		var l struct {
			Type    string
			Request struct {
				Subtype string
				Hooks   map[string]any
			}
			Message struct{ Content []struct{ Text string } }
		}
		json.Unmarshal(line, &l)
		if l.Request.Subtype == "initialize" {
			d.asks = l.Request.Hooks["PreToolUse"] != nil
		}
		if l.Type != "user" {
			continue
		}
		var did []string
		for order := range strings.Lines(l.Message.Content[0].Text) {
			if one := d.obey(strings.TrimSpace(order)); one != "" {
				did = append(did, one)
			}
		}
		d.say(map[string]any{"type": "result", "subtype": "success", "result": fmt.Sprintf("asks %t; %s", d.asks, strings.Join(did, "; "))})
	}
}

func (d *doer) say(v any) {
	line, _ := json.Marshal(v)
	fmt.Println(string(line))
}

// obey follows one line, and says in short what came of it.
func (d *doer) obey(order string) string {
	word, rest, _ := strings.Cut(order, " ")
	switch word {
	case "do":
		return rest + ": " + outcome(exec.Command("sh", "-c", rest).Run())
	case "say":
		d.say(map[string]any{"type": "stream_event", "event": map[string]any{"type": "content_block_delta",
			"delta": map[string]any{"type": "text_delta", "text": rest}}})
	case "take":
		tokens, _ := strconv.Atoi(rest)
		d.say(map[string]any{"type": "stream_event", "event": map[string]any{"type": "message_start", "message": map[string]any{
			"model": "doer-1", "usage": map[string]any{"input_tokens": tokens}}}})
	case "ask":
		name, raw, _ := strings.Cut(rest, " ")
		return name + ": " + d.use(name, raw)
	}
	return ""
}

func outcome(err error) string {
	if err != nil {
		return "no"
	}
	return "yes"
}

func (d *doer) use(name, raw string) string {
	d.calls++
	id := fmt.Sprintf("toolu_%d_%d", os.Getpid(), d.calls)
	var input map[string]any
	json.Unmarshal([]byte(raw), &input)
	d.say(map[string]any{"type": "assistant", "message": map[string]any{"model": "doer-1", "content": []any{
		map[string]any{"type": "tool_use", "id": id, "name": name, "input": input}}}})
	cwd, _ := os.Getwd()
	d.say(map[string]any{"type": "control_request", "request_id": "r" + id, "request": map[string]any{
		"subtype": "hook_callback", "tool_use_id": id, "input": map[string]any{"cwd": cwd, "tool_name": name, "tool_input": input}}})
	line, _ := d.in.ReadBytes('\n')
	var l struct {
		Response struct {
			Response struct {
				Hook struct {
					Decision string `json:"permissionDecision"`
					Reason   string `json:"permissionDecisionReason"`
				} `json:"hookSpecificOutput"`
			}
		}
	}
	json.Unmarshal(line, &l)
	text, failed := l.Response.Response.Hook.Reason, true
	if l.Response.Response.Hook.Decision == "allow" {
		err := perform(name, input)
		if text, failed = "fine", err != nil; failed {
			text = err.Error()
		}
	}
	d.say(map[string]any{"type": "user", "message": map[string]any{"content": []any{
		map[string]any{"type": "tool_result", "tool_use_id": id, "content": text, "is_error": failed}}}})
	if failed {
		return "no"
	}
	return "yes"
}

func perform(name string, input map[string]any) error {
	switch name {
	case "Write":
		path := fmt.Sprint(input["file_path"])
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			return err
		}
		return os.WriteFile(path, []byte(fmt.Sprint(input["content"])), 0o600)
	case "Bash":
		return exec.Command("sh", "-c", fmt.Sprint(input["command"])).Run()
	}
	_, err := os.ReadFile(fmt.Sprint(input["file_path"]))
	return err
}
