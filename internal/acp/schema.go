package acp

import "encoding/json"

// The types of the protocol, as the schema of version 1 has them: in the TypeScript SDK 2.4.0 of 2 November 2026. session/fork is in its
// unstable part.

// ability is the used part of an editor's abilities.
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

// hello is an editor's first request: the newest version it speaks, and its abilities.
type hello struct {
	ProtocolVersion    int     `json:"protocolVersion"`
	ClientCapabilities ability `json:"clientCapabilities"`
}

// welcome is the answer: our version, our abilities, and the ways to sign in.
type welcome struct {
	ProtocolVersion   int            `json:"protocolVersion"`
	AgentCapabilities map[string]any `json:"agentCapabilities"`
	AgentInfo         map[string]any `json:"agentInfo"`
	AuthMethods       []authMethod   `json:"authMethods"`
}

// authMethod is a way to sign in. For the type terminal, the editor adds Args to our command line to start it in a
// terminal.
type authMethod struct {
	Type        string   `json:"type"`
	ID          string   `json:"id"`
	Name        string   `json:"name"`
	Description string   `json:"description"`
	Args        []string `json:"args"`
}

// where identifies the session of a request, and its folder.
type where struct {
	SessionID   string      `json:"sessionId"`
	CWD         string      `json:"cwd"`
	Directories []string    `json:"additionalDirectories"`
	Servers     []mcpServer `json:"mcpServers"`
}

// mcpServer is a server that the editor provides: a program or an address.
type mcpServer struct {
	Type    string   `json:"type"`
	Name    string   `json:"name"`
	Command string   `json:"command"`
	Args    []string `json:"args"`
	Env     []pair   `json:"env"`
	URL     string   `json:"url"`
	Headers []pair   `json:"headers"`
}

// pair is a variable or a header.
type pair struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// opened is a new or opened session. SessionID is left out if the editor named it.
type opened struct {
	SessionID string   `json:"sessionId,omitempty"`
	Modes     *modes   `json:"modes"`
	Options   []option `json:"configOptions"`
}

// modes are the modes of a session, and the current one. Editors that know options see the same there.
type modes struct {
	Current   string `json:"currentModeId"`
	Available []mode `json:"availableModes"`
}

// mode is one of them. Its id is its name on the command line.
type mode struct {
	ID          string `json:"id"`
	Name        string `json:"name"`
	Description string `json:"description"`
}

// option is a setting of a session, of the type select: one of several values. Its category tells an editor where to
// show it.
type option struct {
	ID          string   `json:"id"`
	Name        string   `json:"name"`
	Description string   `json:"description,omitempty"`
	Category    string   `json:"category,omitempty"`
	Type        string   `json:"type"`
	Current     string   `json:"currentValue"`
	Options     []choice `json:"options"`
}

// choice is one value of an option.
type choice struct {
	Value       string `json:"value"`
	Name        string `json:"name"`
	Description string `json:"description,omitempty"`
}

// block is a piece of content: text, a picture, a link to a resource or an embedded resource. Fields of other types
// are empty.
type block struct {
	Type     string    `json:"type"`
	Text     string    `json:"text,omitempty"`
	MIME     string    `json:"mimeType,omitempty"`
	Data     []byte    `json:"data,omitempty"` // of a picture
	URI      string    `json:"uri,omitempty"`
	Name     string    `json:"name,omitempty"`
	Resource *resource `json:"resource,omitempty"`
}

// resource is an attached resource. Without a text it is bytes, of which pictures and PDFs are read.
type resource struct {
	URI  string  `json:"uri"`
	Text *string `json:"text"`
	Blob []byte  `json:"blob,omitempty"`
}

// textBlock is a piece of text.
func textBlock(text string) block { return block{Type: "text", Text: text} }

// prompt is a person's message, in pieces.
type prompt struct {
	SessionID string  `json:"sessionId"`
	Prompt    []block `json:"prompt"`
}

// sessionInfo is a line of the list of sessions. UpdatedAt is in RFC 3339.
type sessionInfo struct {
	SessionID string `json:"sessionId"`
	CWD       string `json:"cwd"`
	Title     string `json:"title,omitempty"`
	UpdatedAt string `json:"updatedAt,omitempty"`
}

// What a session/update says; its kind is the first field of each.

// chunk is a piece of a message, which follows the one before.
type chunk struct {
	Kind    string `json:"sessionUpdate"` // user_message_chunk, agent_message_chunk, agent_thought_chunk
	Content block  `json:"content"`
}

// toolCall is a tool call as it begins, and later its changes: then empty fields stay unchanged, and a list replaces
// the one before. Sort is the protocol's word for what it does, Name ours for the tool.
type toolCall struct {
	Kind      string          `json:"sessionUpdate,omitempty"` // tool_call, tool_call_update; empty in a permission request
	ID        string          `json:"toolCallId"`
	Title     string          `json:"title,omitempty"`
	Name      string          `json:"name,omitempty"`
	Sort      string          `json:"kind,omitempty"`
	Status    string          `json:"status,omitempty"`
	Content   []toolContent   `json:"content,omitempty"`
	Locations []location      `json:"locations,omitempty"`
	Input     json.RawMessage `json:"rawInput,omitempty"`
}

// toolContent is a piece of a call's content: content, or a file before and after. Old is nil for a new file.
type toolContent struct {
	Type    string  `json:"type"` // content or diff
	Content *block  `json:"content,omitempty"`
	Path    string  `json:"path,omitempty"`
	Old     *string `json:"oldText,omitempty"`
	New     *string `json:"newText,omitempty"`
}

// location is the file that a call reads or writes, for editors that follow it. Path is absolute.
type location struct {
	Path string `json:"path"`
	Line int    `json:"line,omitempty"`
}

// planUpdate is the whole plan.
type planUpdate struct {
	Kind    string      `json:"sessionUpdate"`
	Entries []planEntry `json:"entries"`
}

// planEntry is one task, with its state in the protocol's words.
type planEntry struct {
	Content  string `json:"content"`
	Priority string `json:"priority"`
	Status   string `json:"status"`
}

// commandsUpdate is the whole list of slash commands.
type commandsUpdate struct {
	Kind     string    `json:"sessionUpdate"`
	Commands []command `json:"availableCommands"`
}

// command is one of them. With Input it takes arguments.
type command struct {
	Name        string `json:"name"`
	Description string `json:"description"`
	Input       *hint  `json:"input,omitempty"`
}

// hint is shown in place of arguments not typed yet.
type hint struct {
	Hint string `json:"hint"`
}

// modeUpdate reports a new mode.
type modeUpdate struct {
	Kind string `json:"sessionUpdate"`
	Mode string `json:"currentModeId"`
}

// optionsUpdate has all current options: one may change the choices of others.
type optionsUpdate struct {
	Kind    string   `json:"sessionUpdate,omitempty"` // empty: in the answer to whoever changed one
	Options []option `json:"configOptions"`
}

// infoUpdate reports the new title of the session.
type infoUpdate struct {
	Kind  string `json:"sessionUpdate"`
	Title string `json:"title"`
}

// usageUpdate reports the used and total tokens of the context, and the cost of the session.
type usageUpdate struct {
	Kind string `json:"sessionUpdate"`
	Used int    `json:"used"`
	Size int    `json:"size"`
	Cost *money `json:"cost,omitempty"`
}

// money is an amount in a currency by its three letters.
type money struct {
	Amount   float64 `json:"amount"`
	Currency string  `json:"currency"`
}

// notice is a notice of the program. It is sent only to editors that declare that they show it.
type notice struct {
	Kind     string `json:"sessionUpdate"`
	Severity string `json:"severity"`
	Title    string `json:"title"`
}

// permissionRequest asks the person about a call.
type permissionRequest struct {
	SessionID string   `json:"sessionId"`
	ToolCall  toolCall `json:"toolCall"`
	Options   []way    `json:"options"`
}

// way is one possible answer.
type way struct {
	ID   string `json:"optionId"`
	Name string `json:"name"`
	Kind string `json:"kind"` // allow_once, allow_always, reject_once, reject_always
}

// permissionOutcome is the answer: the chosen way, or that the prompt was cancelled meanwhile.
type permissionOutcome struct {
	Outcome struct {
		Outcome  string `json:"outcome"`
		OptionID string `json:"optionId"`
	} `json:"outcome"`
}
