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

// hello is what an editor begins with: the newest version it speaks, and what it can do.
type hello struct {
	ProtocolVersion    int     `json:"protocolVersion"`
	ClientCapabilities ability `json:"clientCapabilities"`
}

// welcome is the answer: the version that is spoken, what is offered, and the ways to sign in.
type welcome struct {
	ProtocolVersion   int            `json:"protocolVersion"`
	AgentCapabilities map[string]any `json:"agentCapabilities"`
	AgentInfo         map[string]any `json:"agentInfo"`
	AuthMethods       []authMethod   `json:"authMethods"`
}

// authMethod is a way to sign in. Of the type terminal, Args are what the editor adds to our command line to start
// it in a terminal.
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

// pair is a variable or a header.
type pair struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// opened is a session that was made or opened. SessionID is left out where the editor named it.
type opened struct {
	SessionID string   `json:"sessionId,omitempty"`
	Modes     *modes   `json:"modes"`
	Options   []option `json:"configOptions"`
}

// modes are the ways a session can work in, and the one it is in. Editors that know options see the same there.
type modes struct {
	Current   string `json:"currentModeId"`
	Available []mode `json:"availableModes"`
}

// mode is one of them. Its id is the name that the command line has for it.
type mode struct {
	ID          string `json:"id"`
	Name        string `json:"name"`
	Description string `json:"description"`
}

// option is a setting of a session, of the type select: one of some values. Its category tells an editor where to
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

// block is a piece of content: text, a picture, a link to a resource or a resource that is embedded. What belongs
// to other types is empty.
type block struct {
	Type     string    `json:"type"`
	Text     string    `json:"text,omitempty"`
	MIME     string    `json:"mimeType,omitempty"`
	Data     []byte    `json:"data,omitempty"` // of a picture
	URI      string    `json:"uri,omitempty"`
	Name     string    `json:"name,omitempty"`
	Resource *resource `json:"resource,omitempty"`
}

// resource is one that an editor sends along. Without a text it is bytes, of which pictures and PDFs are read.
type resource struct {
	URI  string  `json:"uri"`
	Text *string `json:"text"`
	Blob []byte  `json:"blob,omitempty"`
}

// textBlock is a piece of text.
func textBlock(text string) block { return block{Type: "text", Text: text} }

// prompt is what a person says, in pieces.
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

// chunk is a piece of what is said, which follows the one before.
type chunk struct {
	Kind    string `json:"sessionUpdate"` // user_message_chunk, agent_message_chunk, agent_thought_chunk
	Content block  `json:"content"`
}

// toolCall is a call of a tool as it begins, and what changed of it since: then empty fields stay as they were, and
// a list takes the place of the one before. Sort is the protocol's word for what it does, Name ours for the tool.
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

// toolContent is a piece of what a call shows: content, or a file before and after. Old is nil of a file that is
// made.
type toolContent struct {
	Type    string  `json:"type"` // content or diff
	Content *block  `json:"content,omitempty"`
	Path    string  `json:"path,omitempty"`
	Old     *string `json:"oldText,omitempty"`
	New     *string `json:"newText,omitempty"`
}

// location is where a call looks or writes, for editors that follow it. Path is absolute.
type location struct {
	Path string `json:"path"`
	Line int    `json:"line,omitempty"`
}

// planUpdate is the whole list of what is to be done.
type planUpdate struct {
	Kind    string      `json:"sessionUpdate"`
	Entries []planEntry `json:"entries"`
}

// planEntry is one thing to do, in the protocol's words for its state.
type planEntry struct {
	Content  string `json:"content"`
	Priority string `json:"priority"`
	Status   string `json:"status"`
}

// commandsUpdate is the whole list of what can be typed after a slash.
type commandsUpdate struct {
	Kind     string    `json:"sessionUpdate"`
	Commands []command `json:"availableCommands"`
}

// command is one of them. With Input it takes words.
type command struct {
	Name        string `json:"name"`
	Description string `json:"description"`
	Input       *hint  `json:"input,omitempty"`
}

// hint is shown in place of words that were not typed yet.
type hint struct {
	Hint string `json:"hint"`
}

// modeUpdate says that the mode is another one now.
type modeUpdate struct {
	Kind string `json:"sessionUpdate"`
	Mode string `json:"currentModeId"`
}

// optionsUpdate is all options as they are now: one may change what others can be.
type optionsUpdate struct {
	Kind    string   `json:"sessionUpdate,omitempty"` // empty: it is the answer to who changed one
	Options []option `json:"configOptions"`
}

// infoUpdate says what the session is called now.
type infoUpdate struct {
	Kind  string `json:"sessionUpdate"`
	Title string `json:"title"`
}

// usageUpdate is how many tokens of the context are used, of how many, and what the session has cost.
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

// notice is a word of the program's own. It is sent only to editors that say they show it.
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

// way is one answer they can give.
type way struct {
	ID   string `json:"optionId"`
	Name string `json:"name"`
	Kind string `json:"kind"` // allow_once, allow_always, reject_once, reject_always
}

// permissionOutcome is what they said: the way they chose, or that the prompt was cancelled meanwhile.
type permissionOutcome struct {
	Outcome struct {
		Outcome  string `json:"outcome"`
		OptionID string `json:"optionId"`
	} `json:"outcome"`
}
