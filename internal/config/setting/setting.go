// Package setting is the table of settings: the name, form and meaning of each, how its value is parsed, and what a project may
// do to it.
//
// A new setting is one row. From it follow how a value is parsed and shown, what a project may do to it (Rule), its
// environment variable, what completion offers, the commented file that config init writes, the reference page, and the
// hint for a misspelt key. Nothing else lists settings, but for the fields of presets (PresetFields).
//
// Everything here is pure and fixed at start-up. Keys are dotted and lower case; <name> stands for a part that the
// person chooses.
//
// Whether a project may set something is decided by what it could do to the person who cloned it: spend less, see less,
// ask more is fine, anything else is not.
package setting

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/socrates-cli/socrates/internal/release"
)

// Type is what a setting's value looks like.
// It decides the Go type of the value; see value.go.
type Type string

// The types.
const (
	Text    Type = "text"
	Choice  Type = "choice"   // one of Row.Choices
	Count   Type = "number"   // a whole number
	Amount  Type = "amount"   // a number with a fraction
	Span    Type = "duration" // as in 90s, 5m, 1h30m
	List    Type = "list"     // of texts
	URL     Type = "URL"      // http or https, without user and password
	Path    Type = "path"     // absolute, or from the home folder with ~/
	Key     Type = "key"      // env:NAME or ${NAME}, file:PATH, or the secret itself
	hookURL Type = "webhook"  // https, or http to this machine; shown without its path, which may be a secret
)

// Rule says what a project's file may do to a setting. Whatever it is, it cannot widen.
type Rule string

// The rules.
const (
	userOnly Rule = "ignored" // a project's value is ignored with a warning
	lower    Rule = "lower"   // it may only make the number smaller
	remove   Rule = "shorten" // it may only leave out entries of the list, each compared letter by letter
	// of a choice: it may only take one that stands earlier; of a list: it may only add entries that allow nothing
	tighten Rule = "tighten"
)

// Row is one row of the table everything about settings is derived from.
// Empty Default: the setting has no value until somebody gives it one. Doc is one or two sentences that end up in help
// and reference.
type Row struct {
	Key      string // dotted; <name> stands for any name of small letters, digits and dashes
	Type     Type
	Default  string // as a person would write it
	Doc      string
	Project  Rule
	Min, Max float64  // of numbers, durations in seconds; Max 0: no limit
	Choices  []string // of a Choice, where empty is allowed when Default is empty, or of each entry of a List
	// Open means that zero or an empty list is the widest value: no limit, or whatever there is.
	Open bool
}

const (
	hour = 3600
	day  = 24 * hour
	gib  = 1 << 30
)

// settings is the table, in the order of the reference.
var settings = append(rows, presetRows(rows)...)

// efforts are how hard a model may be told to think.
var efforts = []string{"minimal", "low", "medium", "high", "xhigh", "max"}

// rows are the table without what is derived from it.
var rows = slices.Concat(general, workRows())

// general are all but those of runs.
var general = []Row{
	{Key: "preset", Type: Text, Project: userOnly, Doc: "Preset to use when --preset names none. Empty: none."},
	{Key: "seats", Type: List, Project: remove, Open: true, Doc: "Default panel, one seat per entry. Empty: auto-detect."},

	{Key: "providers.<name>.base_url", Type: URL, Project: userOnly, Doc: "Base URL of the endpoint."},
	{Key: "providers.<name>.key", Type: Key, Project: userOnly,
		Doc: "API key: env:NAME, file:PATH, or the key itself if only you can read the file. Empty: none is sent."},
	{Key: "providers.<name>.lineage", Type: Text, Project: userOnly,
		Doc: "Model family (models of one family share errors). Empty: guessed from the model's name, else the provider's name."},
	{Key: "providers.<name>.wire", Type: Choice, Project: userOnly,
		Choices: []string{"chat", "responses", "messages", "generate", "bedrock", "vertex"},
		Doc:     "API protocol. Empty: that of the known provider of this name, else chat."},
	{Key: "providers.<name>.model", Type: Text, Project: userOnly, Doc: "Default model for seats that name none."},
	{Key: "providers.<name>.region", Type: Text, Project: userOnly,
		Doc: "Region of bedrock, location of vertex. Empty: from the cloud's own variables; for vertex, else global."},
	{Key: "providers.<name>.profile", Type: Text, Project: userOnly,
		Doc: "Profile in ~/.aws for bedrock; takes precedence over AWS_ACCESS_KEY_ID. Empty: AWS_PROFILE, else default."},
	{Key: "providers.<name>.project", Type: Text, Project: userOnly,
		Doc: "Project of vertex. Empty: from the cloud's own variables, else from the credentials."},
	{Key: "providers.<name>.requests_per_minute", Type: Count, Max: 1e6, Project: userOnly,
		Doc: "Requests per minute, across all your processes; further ones wait. Empty or 0: none."},
	{Key: "providers.<name>.tokens_per_minute", Type: Count, Max: 1e9, Project: userOnly,
		Doc: "Tokens per minute, across all your processes; until usage is known, a request counts as its length " +
			"plus up to 8000 for the answer. Empty or 0: none."},

	{Key: "debate.strategy", Type: Text, Default: "council", Project: userOnly,
		Doc: "Debate strategy; list them: socrates debate --strategy help."},
	{Key: "debate.tier", Type: Choice, Choices: []string{"small", "mid", "big"}, Project: userOnly,
		Doc: "Tier of seats that name no model. Empty: mid for vendors, the program's own default for programs."},
	{Key: "tiers.<name>", Type: Choice, Choices: []string{"small", "mid", "big"}, Project: userOnly,
		Doc: "Tier of this vendor or program where neither seat nor phase names one; overrides debate.tier. Empty: not set."},
	{Key: "debate.effort", Type: Choice, Choices: efforts, Project: userOnly,
		Doc: "Reasoning effort; not every model has all levels. Empty: the vendor's default."},
	{Key: "debate.economy", Type: Choice, Choices: []string{"pair", "lead"}, Project: userOnly,
		Doc: "Ask fewer seats: pair (two first, the rest if they differ) or lead (stop once the lead is safe). " +
			"With pair, two seats that agree decide, even if both are wrong. Empty: ask all."},
	{Key: "debate.seat_timeout", Type: Span, Default: "5m", Min: 1, Max: day, Project: lower, Doc: "Time limit per seat and turn."},
	{Key: "debate.timeout", Type: Span, Default: "20m", Min: 1, Max: 7 * day, Project: lower, Doc: "Time limit per debate."},
	{Key: "debate.grace", Type: Span, Default: "90s", Max: hour, Project: lower,
		Doc: "How long to wait for the last seats after the others have answered."},
	{Key: "debate.rounds", Type: Count, Default: "2", Min: 1, Max: 4, Project: lower,
		Doc: "Limit of cross-examination rounds; another one runs only if the last added a newly checked fact."},
	{Key: "debate.checking", Type: Choice, Default: "standard", Choices: []string{"standard", "deep"}, Project: userOnly,
		Doc: "How much evidence is checked. deep: also checks that gain half as much, with two judges each, even if all seats agree."},
	{Key: "debate.learn", Type: Choice, Default: "on", Choices: []string{"on", "lower", "off"}, Project: userOnly,
		Doc: "Whether outcomes of earlier questions count. lower: no seat counts for more than before; off: outcomes are ignored."},
	{Key: "debate.judge", Type: Text, Project: userOnly,
		Doc: "Model that judges evidence without a seat, of another family than the panel's. Empty: seats judge each other's."},
	{Key: "debate.moderator", Type: Text, Project: userOnly,
		Doc: "Seat that moderates a refinement, by its name or the tier of its model. Empty: drawn."},
	{Key: "debate.budget_usd", Type: Amount, Default: "0", Max: 1e6, Project: lower, Open: true,
		Doc: "Spending limit per debate in USD. 0: none."},
	{Key: "debate.max_tokens", Type: Count, Default: "0", Max: 1e12, Project: lower, Open: true, Doc: "Token limit per debate. 0: none."},
	{Key: "debate.max_claims", Type: Count, Default: "7", Min: 1, Max: 100, Project: lower, Doc: "Claim limit per seat."},
	{Key: "debate.tool_calls", Type: Count, Default: "12", Max: 1000, Project: lower, Doc: "Tool-call limit per seat and turn."},
	{Key: "debate.web", Type: Choice, Default: "off", Choices: []string{"off", "on"}, Project: userOnly,
		Doc: "Whether seats may search the web with search.engine. Queries then leave your machine without approval; a rule can deny it."},
	{Key: "debate.history", Type: Count, Default: "3", Max: 3, Project: lower,
		Doc: "How many earlier decisions on similar questions to show the seats. 0: none."},

	{Key: "refine.threshold", Type: Amount, Default: "0", Max: 1, Project: userOnly,
		Doc: "Strategy refine: end once the versions are this similar. 0: by type of question, as the next four say."},
	{Key: "refine.threshold_analysis", Type: Amount, Default: "0", Max: 1, Project: userOnly,
		Doc: "The same for questions that analyze, review or explain. 0: refine.threshold, or .80."},
	{Key: "refine.threshold_design", Type: Amount, Default: "0", Max: 1, Project: userOnly,
		Doc: "The same for questions about designs, interfaces and plans. 0: refine.threshold, or .75."},
	{Key: "refine.threshold_bugfix", Type: Amount, Default: "0", Max: 1, Project: userOnly,
		Doc: "The same for questions about bugs. 0: refine.threshold, or .85."},
	{Key: "refine.threshold_refactor", Type: Amount, Default: "0", Max: 1, Project: userOnly,
		Doc: "The same for questions about refactoring. 0: refine.threshold, or .80."},
	{Key: "refine.min_rounds", Type: Count, Default: "0", Max: 4, Project: userOnly,
		Doc: "Strategy refine: minimum versions per seat. 0: two."},
	{Key: "refine.warning", Type: Amount, Default: "0", Max: 1, Project: userOnly,
		Doc: "Strategy refine: warn when the versions are less similar than this. 0: .30."},
	{Key: "refine.stagnation", Type: Amount, Default: "0", Max: 1, Project: userOnly,
		Doc: "Strategy refine: from the third version on, end when similarity grows by less than this. 0: .02."},
	{Key: "refine.abort", Type: Amount, Default: "0", Max: 1, Project: userOnly,
		Doc: "Strategy refine: abort without votes or decision (exit code 10) when the versions are less similar than this. 0: .10."},

	{Key: "chat.model", Type: Text, Project: userOnly, Doc: "Default model for run and chat, as a seat. Empty: the first one found."},

	{Key: "chat.fallback", Type: Text, Project: userOnly,
		Doc: "Seat that answers the rest of a turn when the chosen model stays overloaded, is out of quota or refuses. Empty: none."},
	{Key: "chat.titles", Type: Text, Project: userOnly,
		Doc: "Seat that titles a new conversation, preferably a small model. Empty: its first words are the title."},
	{Key: "chat.check_edits", Type: Choice, Default: "on", Choices: []string{"on", "off"}, Project: userOnly,
		Doc: "Check files an agent changed with the project's formatter and language server, if installed."},
	{Key: "chat.compact_tokens", Type: Count, Default: "0", Max: 1e9, Project: userOnly, Open: true,
		Doc: "Compact a conversation before a request exceeds this many tokens. 0: at four fifths of the model's context window."},
	{Key: "chat.compact_usd", Type: Amount, Default: "0", Max: 1e3, Project: userOnly, Open: true,
		Doc: "Compact a conversation before one request, with nothing cached, costs more than this in USD. 0: no such limit."},

	{Key: "memory.shown", Type: Count, Default: "3", Max: 3, Project: lower,
		Doc: "How many notes, and how many earlier decisions, to show a conversation at once. 0: none."},

	{Key: "decisions.adr", Type: Choice, Default: "off", Choices: []string{"off", "on"}, Project: userOnly,
		Doc: "Write each decision to a numbered file when its debate ends."},
	{Key: "decisions.dir", Type: Text, Default: "docs/adr", Project: userOnly, Doc: "Folder for these files, inside the project."},

	{Key: "checks.commands", Type: List, Project: remove, Doc: "Commands that checks may run, as words: \"go test ./...\". Empty: none."},
	{Key: "checks.sources", Type: List, Project: remove, Doc: "Hosts that checks may fetch from. Empty: none."},
	{Key: "checks.timeout", Type: Span, Default: "2m", Min: 1, Max: day, Project: lower, Doc: "Time limit per check."},

	{Key: "permission.mode", Type: Choice, Default: "balanced", Choices: []string{"plan", "paranoid", "balanced", "yolo"}, Project: tighten,
		Doc: "What an agent may do without asking, strictest first; `socrates permission why` explains single commands."},
	{Key: "permission.rules", Type: List, Project: tighten, Doc: "Permission rules that override the mode: \"allow bash go test *\", " +
		"\"ask write docs/**\", \"deny fetch *.example.com\", \"allow registry pypi.org\". Deny wins."},

	{Key: "sandbox.programs", Type: Choice, Default: "auto", Choices: []string{"required", "auto", "off"}, Project: tighten,
		Doc: "Run other vendors' programs in our sandbox when they take a seat: auto (warn where no sandbox is available), required " +
			"(refuse such seats there) or off."},
	{Key: "programs.<name>.path", Type: Path, Project: userOnly, Doc: "Path of this program. Empty: found on PATH."},
	{Key: "programs.<name>.model", Type: Text, Project: userOnly,
		Doc: "Model or tier of this program's seats that name none. Empty: the program's own default."},
	{Key: "programs.<name>.timeout", Type: Span, Min: 1, Max: day, Project: userOnly,
		Doc: "Time limit for one answer of this program. Empty: only that of the debate or turn."},
	{Key: "programs.<name>.hosts", Type: List, Project: userOnly,
		Doc: "Hosts this program may reach in the sandbox besides those of its vendor and endpoint: api.example.com, *.example.com, " +
			"localhost:8080."},
	{Key: "programs.<name>.write", Type: List, Project: userOnly,
		Doc: "Folders this program may write to in the sandbox besides its own, as absolute paths."},
	{Key: "sandbox.read", Type: List, Project: userOnly, Doc: "Folders, hidden by default, that programs started by an agent may read " +
		"besides the project and toolchains: ~/src/shared, /data. Empty: none."},
	{Key: "sandbox.processes", Type: Count, Default: "4096", Project: lower, Open: true,
		Doc: "Process limit for the programs of a command where control groups are available, else of a conversation (Linux only; then " +
			"not applied to root). 0: none."},
	{Key: "sandbox.memory", Type: Count, Project: lower, Open: true, Default: "0",
		Doc: "Limit in MiB on the memory each process may write to and, where control groups are available, all programs of a command " +
			"together. 0: none."},
	{Key: "sandbox.file", Type: Count, Default: "8192", Project: lower, Open: true,
		Doc: "Limit in MiB on the size of a file a program writes. 0: none."},
	{Key: "sandbox.cpu", Type: Span, Default: "1h", Project: lower, Open: true, Doc: "CPU time limit per process. 0s: none."},

	{Key: "fetch.inner", Type: List, Project: remove, Doc: "Private hosts that fetch and `http:` handles may reach, such as wiki.corp " +
		"or localhost:8080; no wildcards. Permission is still asked for. Empty: none."},

	{Key: "log.level", Type: Choice, Default: "off", Choices: []string{"off", "error", "warn", "info", "debug"}, Project: userOnly,
		Doc: "Log level. info: model and tool calls; debug: also HTTP requests and started programs. Keys and prompts are never logged."},
	{Key: "log.format", Type: Choice, Default: "text", Choices: []string{"text", "json"}, Project: userOnly,
		Doc: "Log format."},
	{Key: "log.file", Type: Path, Project: userOnly, Doc: "File to append the log to. Empty: stderr; the full screen needs a file."},
	{Key: "search.engine", Type: Choice, Choices: []string{"brave", "exa", "kagi", "searxng"}, Project: userOnly,
		Doc: "Web search engine of agents. Empty: they have no web search."},
	{Key: "search.url", Type: URL, Project: userOnly, Doc: "Address of the search engine. Empty: the engine's own; searxng has none."},
	{Key: "search.key", Type: Key, Project: userOnly,
		Doc: "API key of the search engine: env:NAME, file:PATH, or the key itself if only you can read the file. Empty: none is sent."},
	{Key: "hub.url", Type: URL, Project: userOnly,
		Doc: "Address of a hub: https://HOST:PORT. Commands that can work with it then use its debates, decisions and conversations " +
			"instead of your own."},
	{Key: "hub.token", Type: Key, Project: userOnly,
		Doc: "Token for the hub: env:NAME, file:PATH, or the token itself if only you can read the file. Empty: the one that " +
			"socrates hub connect saved."},
	{Key: "output.color", Type: Choice, Default: "auto", Choices: []string{"auto", "always", "never"}, Project: userOnly,
		Doc: "Use colours."},
	{Key: "screen.theme", Type: Choice, Default: "auto", Choices: []string{"auto", "dark", "light", "contrast", "none"}, Project: userOnly,
		Doc: "Theme: auto matches the terminal, dark or light; none uses only bold and underline."},
	{Key: "screen.mouse", Type: Choice, Default: "on", Choices: []string{"on", "off"}, Project: userOnly,
		Doc: "Mouse support. When on, hold shift to select text."},
	{Key: "screen.links", Type: Choice, Default: "auto", Choices: []string{"auto", "on", "off"}, Project: userOnly,
		Doc: "Make web addresses clickable. auto: in terminals known to support it."},
	{Key: "screen.pictures", Type: Choice, Default: "auto", Choices: []string{"auto", "kitty", "iterm2", "sixel", "off"}, Project: userOnly,
		Doc: "How pictures are drawn in a conversation. auto: in the best way the terminal supports, else as one line of text."},
	{Key: "screen.notify", Type: Choice, Default: "bell", Choices: []string{"bell", "desktop", "off"}, Project: userOnly,
		Doc: "Notification when you are needed in another window: the terminal's bell, or also a desktop notification where the " +
			"terminal supports it."},
	{Key: "screen.editor", Type: Text, Project: userOnly, Doc: "Editor command for long input. Empty: VISUAL or EDITOR, else vi."},
	{Key: "screen.keys.<name>", Type: List, Project: userOnly,
		Doc: "Keys for an action, replacing the defaults: screen.keys.tab-new: [alt+t]. An empty list removes them. F1 lists the actions."},
	{Key: "keyring", Type: Choice, Default: "system", Choices: []string{"system", "file"}, Project: userOnly,
		Doc: "Where socrates login stores keys: the system keyring (without one, a file only you can read), or always the file."},
	{Key: "update.url", Type: URL, Default: release.Address, Project: userOnly,
		Doc: "Where `socrates update` finds releases: https, or http to this machine."},
	{Key: "store.path", Type: Path, Project: userOnly, Doc: "Path of the store. Empty: socrates/socrates.db in the data folder."},

	{Key: "events.<name>.on", Type: List,
		Choices: []string{"debate_started", "consensus_reached", "person_needed", "debate_ended", "turn_done", "permission_asked",
			"run_started", "task_done", "task_failed", "conflict", "run_done"}, Project: userOnly,
		Doc: "Events to send. events may also be a list; its entries are named 1, 2 and so on."},
	{Key: "events.<name>.command", Type: List, Project: userOnly,
		Doc: "Program that receives the event on stdin, with its arguments, as words."},
	{Key: "events.<name>.webhook", Type: hookURL, Project: userOnly, Doc: "URL to send the event to instead."},
	{Key: "events.<name>.secret", Type: Key, Project: userOnly,
		Doc: "Signing secret: env:NAME, file:PATH, or the secret itself if only you can read the file. Empty: unsigned."},

	{Key: "hooks.<name>.on", Type: List, Choices: []string{"session_start", "prompt", "before_tool", "after_tool", "permission",
		"compact", "turn_done", "phase_start", "phase_end"}, Project: userOnly, Doc: "Events that trigger the hook."},
	{Key: "hooks.<name>.tools", Type: List, Project: userOnly,
		Doc: "Tools the hook applies to: names, or globs such as mcp__*. Empty: all."},
	{Key: "hooks.<name>.command", Type: List, Project: userOnly,
		Doc: "Program that receives the event on stdin, with its arguments, as words. A path is relative to the project."},
	{Key: "hooks.<name>.timeout", Type: Span, Min: 1, Max: 600, Project: userOnly, Doc: "Time limit. Empty: 10s."},
	{Key: "hooks.<name>.guard", Type: Choice, Choices: []string{"true", "false"}, Project: userOnly,
		Doc: "Deny the call when the hook fails or times out. Empty: false (only a warning)."},
	{Key: "hooks.<name>.form", Type: Choice, Choices: []string{"claude"}, Project: userOnly,
		Doc: "claude: the hook was written for Claude Code, and reads and answers its JSON. Empty: ours."},

	{Key: "mcp.<name>.command", Type: Text, Project: userOnly, Doc: "Program of the MCP server, connected over stdin and stdout."},
	{Key: "mcp.<name>.args", Type: List, Project: userOnly, Doc: "Arguments of the server. ${NAME} is replaced by your environment " +
		"variable, here and in env."},
	{Key: "mcp.<name>.env", Type: List, Project: userOnly, Doc: "Extra environment variables: NAME (your value) or NAME=value."},
	{Key: "mcp.<name>.url", Type: URL, Project: userOnly, Doc: "URL of the server, instead of a command: https, or http to this machine."},
	{Key: "mcp.<name>.headers", Type: List, Project: userOnly, Doc: "Headers sent with every request: \"Name: value\"; keys as ${NAME}."},
	{Key: "mcp.<name>.bearer", Type: Key, Project: userOnly,
		Doc: "API key of the server: env:NAME, file:PATH, or the key itself if only you can read the file. Empty: none, or the token " +
			"from `socrates mcp login`."},
	{Key: "mcp.<name>.local", Type: Choice, Choices: []string{"true", "false"}, Project: userOnly,
		Doc: "true: the server sends nothing to other machines, so its calls need no approval after untrusted text was " +
			"read. Empty: false."},

	{Key: "context.max_file_bytes", Type: Count, Default: "65536", Min: 1, Max: gib, Project: lower,
		Doc: "Limit in bytes per file shown to the seats."},
	{Key: "context.max_bytes", Type: Count, Default: "262144", Min: 1, Max: gib, Project: lower,
		Doc: "Limit in bytes of all files shown to the seats."},
}

// All returns the table in the order of the reference. Keys with <name> stand for one key per provider.
func All() []Row { return append([]Row(nil), settings...) }

const anyName = "<name>"

// Named says whether the row stands for one key of every name.
func (s Row) Named() bool { return strings.Contains(s.Key, anyName) }

// Find returns the row of a key.
// The row of a named key is the one with <name>; its Key is not key.
func Find(key string) (Row, bool) {
	for _, s := range settings {
		if s.Key == key && !strings.Contains(key, anyName) {
			return s, true
		}
		if before, after, ok := strings.Cut(s.Key, anyName); ok {
			name, rest := cut(key, before, after)
			if rest && cleanName(name) {
				return s, true
			}
		}
	}
	return Row{}, false
}

// cut returns what stands between before and after in key.
func cut(key, before, after string) (string, bool) {
	key, ok := strings.CutPrefix(key, before)
	if !ok {
		return "", false
	}
	return strings.CutSuffix(key, after)
}

// cleanName says whether a name can be part of a key.
func cleanName(s string) bool {
	return s != "" && len(s) <= 64 && strings.Trim(s, "abcdefghijklmnopqrstuvwxyz0123456789-") == ""
}

// IsSection says whether keys lie below key.
func IsSection(key string) bool {
	for _, s := range settings {
		want, have := strings.Split(s.Key, "."), strings.Split(key, ".")
		if len(have) >= len(want) {
			continue
		}
		below := true
		for i, part := range have {
			below = below && (part == want[i] || want[i] == anyName && cleanName(part))
		}
		if below {
			return true
		}
	}
	return false
}

// EnvPrefix begins the name of every variable that gives a setting.
const EnvPrefix = "SOCRATES_"

// Env is the environment variable of a key: SOCRATES_DEBATE_ROUNDS for debate.rounds. <NAME> stands for a provider's
// name in capitals, its dashes as underscores.
func (s Row) Env() string {
	return EnvPrefix + strings.ToUpper(strings.ReplaceAll(s.Key, ".", "_"))
}

// KeyOfEnv is the other way round.
// Names have no underscores, so one in a variable is a dash.
func KeyOfEnv(variable string) (string, bool) {
	for _, s := range settings {
		before, after, open := strings.Cut(s.Env(), strings.ToUpper(anyName))
		if !open && variable == before {
			return s.Key, true
		}
		if name, ok := cut(variable, before, after); open && ok {
			key := strings.Replace(s.Key, anyName, strings.ToLower(strings.ReplaceAll(name, "_", "-")), 1)
			_, known := Find(key)
			return key, known
		}
	}
	return "", false
}

// Reference is the table as a page of Markdown.
func Reference() string {
	var out strings.Builder
	out.WriteString("| setting | type | default | a project may | variable | meaning |\n|---|---|---|---|---|---|\n")
	project := map[Rule]string{userOnly: "not set it", lower: "lower it", remove: "remove entries", tighten: "tighten it"}
	for _, s := range settings {
		kind := string(s.Type)
		if len(s.Choices) > 0 {
			kind = strings.TrimPrefix(kind+" of ", "choice of ") + strings.Join(s.Choices, ", ")
		}
		if r := s.limits(); r != "" {
			kind += ", " + r
		}
		fmt.Fprintf(&out, "| `%s` | %s | %s | %s | `%s` | %s |\n", s.Key, kind, s.Default, project[s.Project], s.Env(), s.Doc)
	}
	return out.String()
}

// limits is the range of a number in words, empty if there is none.
func (s Row) limits() string {
	if s.Max == 0 {
		return ""
	}
	return s.unit(s.Min) + " to " + s.unit(s.Max)
}

// unit is a number as a person writes it: spans in the largest unit that is whole.
func (s Row) unit(n float64) string {
	if s.Type != Span {
		return strconv.FormatFloat(n, 'f', -1, 64)
	}
	switch {
	case n >= hour && math.Mod(n, hour) == 0:
		return fmt.Sprintf("%gh", n/hour)
	case n >= 60 && math.Mod(n, 60) == 0:
		return fmt.Sprintf("%gm", n/60)
	}
	return fmt.Sprintf("%gs", n)
}
