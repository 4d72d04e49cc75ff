package acp

import "encoding/json"

// The types of the protocol, as the schema of version 1 has them: in the TypeScript SDK 2.4.0 of 2 November 2026. session/fork is in its
// unstable part.

// ability is what is used of what an editor says that it can do.
type ability struct {
	Session struct {
		Notices *struct{} `json:"notices"`
	} `json:"session"`
	Auth struct {
		Terminal bool `json:"terminal"`
	} `json:"auth"`
	Elicitation struct {
		Form *struct{} `json:"form"`
	} `json:"elicitation"`
}

type hello struct {
	ProtocolVersion    int     `json:"protocolVersion"`
	ClientCapabilities ability `json:"clientCapabilities"`
}

type welcome struct {
	ProtocolVersion   int            `json:"protocolVersion"`
	AgentCapabilities map[string]any `json:"agentCapabilities"`
	AgentInfo         map[string]any `json:"agentInfo"`
	AuthMethods       []authMethod   `json:"authMethods"`
}

type authMethod struct {
	Type        string   `json:"type"`
	ID          string   `json:"id"`
	Name        string   `json:"name"`
	Description string   `json:"description"`
	Args        []string `json:"args"`
}

// where is what requests about a session say: which, and where it belongs.
type where struct {
	SessionID   string      `json:"sessionId"`
	CWD         string      `json:"cwd"`
	Directories []string    `json:"additionalDirectories"`
	Servers     []mcpServer `json:"mcpServers"`
}

// mcpServer is one that the editor brings: a program or an address.
type mcpServer struct {
	Type    string   `json:"type"`
	Name    string   `json:"name"`
	Command string   `json:"command"`
	Args    []string `json:"args"`
	Env     []pair   `json:"env"`
	URL     string   `json:"url"`
	Headers []pair   `json:"headers"`
}

type pair struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

type opened struct {
	SessionID string   `json:"sessionId,omitempty"`
	Modes     *modes   `json:"modes"`
	Options   []option `json:"configOptions"`
}

type modes struct {
	Current   string `json:"currentModeId"`
	Available []mode `json:"availableModes"`
}

type mode struct {
	ID          string `json:"id"`
	Name        string `json:"name"`
	Description string `json:"description"`
}

type option struct {
	ID          string   `json:"id"`
	Name        string   `json:"name"`
	Description string   `json:"description,omitempty"`
	Category    string   `json:"category,omitempty"`
	Type        string   `json:"type"`
	Current     string   `json:"currentValue"`
	Options     []choice `json:"options"`
}

type choice struct {
	Value       string `json:"value"`
	Name        string `json:"name"`
	Description string `json:"description,omitempty"`
}

type block struct {
	Type     string    `json:"type"`
	Text     string    `json:"text,omitempty"`
	MIME     string    `json:"mimeType,omitempty"`
	Data     []byte    `json:"data,omitempty"` // of a picture
	URI      string    `json:"uri,omitempty"`
	Name     string    `json:"name,omitempty"`
	Resource *resource `json:"resource,omitempty"`
}

type resource struct {
	URI  string  `json:"uri"`
	Text *string `json:"text"`
}

func textBlock(text string) block { return block{Type: "text", Text: text} }

type prompt struct {
	SessionID string  `json:"sessionId"`
	Prompt    []block `json:"prompt"`
}

type sessionInfo struct {
	SessionID string `json:"sessionId"`
	CWD       string `json:"cwd"`
	Title     string `json:"title,omitempty"`
	UpdatedAt string `json:"updatedAt,omitempty"`
}

// What a session/update says; its kind is the first field of each.

type chunk struct {
	Kind    string `json:"sessionUpdate"` // user_message_chunk, agent_message_chunk, agent_thought_chunk
	Content block  `json:"content"`
}

type toolCall struct {
	Kind      string          `json:"sessionUpdate,omitempty"` // tool_call, tool_call_update; empty where a permission is asked
	ID        string          `json:"toolCallId"`
	Title     string          `json:"title,omitempty"`
	Name      string          `json:"name,omitempty"`
	Sort      string          `json:"kind,omitempty"`
	Status    string          `json:"status,omitempty"`
	Content   []toolContent   `json:"content,omitempty"`
	Locations []location      `json:"locations,omitempty"`
	Input     json.RawMessage `json:"rawInput,omitempty"`
}

type toolContent struct {
	Type    string  `json:"type"` // content or diff
	Content *block  `json:"content,omitempty"`
	Path    string  `json:"path,omitempty"`
	Old     *string `json:"oldText,omitempty"`
	New     *string `json:"newText,omitempty"`
}

type location struct {
	Path string `json:"path"`
	Line int    `json:"line,omitempty"`
}

type planUpdate struct {
	Kind    string      `json:"sessionUpdate"`
	Entries []planEntry `json:"entries"`
}

type planEntry struct {
	Content  string `json:"content"`
	Priority string `json:"priority"`
	Status   string `json:"status"`
}

type commandsUpdate struct {
	Kind     string    `json:"sessionUpdate"`
	Commands []command `json:"availableCommands"`
}

type command struct {
	Name        string `json:"name"`
	Description string `json:"description"`
	Input       *hint  `json:"input,omitempty"`
}

type hint struct {
	Hint string `json:"hint"`
}

type modeUpdate struct {
	Kind string `json:"sessionUpdate"`
	Mode string `json:"currentModeId"`
}

type optionsUpdate struct {
	Kind    string   `json:"sessionUpdate,omitempty"` // empty: it is the answer to who changed one
	Options []option `json:"configOptions"`
}

type infoUpdate struct {
	Kind  string `json:"sessionUpdate"`
	Title string `json:"title"`
}

type usageUpdate struct {
	Kind string `json:"sessionUpdate"`
	Used int    `json:"used"`
	Size int    `json:"size"`
	Cost *money `json:"cost,omitempty"`
}

type money struct {
	Amount   float64 `json:"amount"`
	Currency string  `json:"currency"`
}

type notice struct {
	Kind     string `json:"sessionUpdate"`
	Severity string `json:"severity"`
	Title    string `json:"title"`
}

type permissionRequest struct {
	SessionID string   `json:"sessionId"`
	ToolCall  toolCall `json:"toolCall"`
	Options   []way    `json:"options"`
}

type way struct {
	ID   string `json:"optionId"`
	Name string `json:"name"`
	Kind string `json:"kind"` // allow_once, allow_always, reject_once, reject_always
}

type permissionOutcome struct {
	Outcome struct {
		Outcome  string `json:"outcome"`
		OptionID string `json:"optionId"`
	} `json:"outcome"`
}
