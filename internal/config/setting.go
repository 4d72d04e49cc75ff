package config

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// Type is what a setting's value looks like.
type Type string

// The types.
const (
	Text   Type = "text"
	Choice Type = "choice"   // one of Setting.Choices
	Count  Type = "number"   // a whole number
	Amount Type = "amount"   // a number with a fraction
	Span   Type = "duration" // as in 90s, 5m, 1h30m
	List   Type = "list"     // of texts
	URL    Type = "URL"      // http or https, without user and password
	Path   Type = "path"     // absolute, or from the home folder with ~/
	Key    Type = "key"      // env:NAME or ${NAME}, file:PATH, or the secret itself
	Hook   Type = "webhook"  // https, or http to this machine; shown without its path, which may be a secret
)

// Rule says what a project's file may do to a setting. Whatever it is, it cannot widen.
type Rule string

// The rules.
const (
	UserOnly Rule = "ignored" // a project's value is ignored with a warning
	Lower    Rule = "lower"   // it may only make the number smaller
	Remove   Rule = "shorten" // it may only leave out entries of the list, each compared letter by letter
	Tighten  Rule = "tighten" // of a choice: it may only take one that stands earlier; of a list: it may only add entries that allow nothing
)

// Setting is one row of the table everything about settings is derived from.
type Setting struct {
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

// rows are the table without what is derived from it.
var rows = []Setting{
	{Key: "preset", Type: Text, Project: UserOnly, Doc: "The preset that counts when --preset names none. Empty: none."},
	{Key: "seats", Type: List, Project: Remove, Open: true, Doc: "Who sits at the table, one spec per seat. Empty: whatever is found on this machine."},

	{Key: "providers.<name>.base_url", Type: URL, Project: UserOnly, Doc: "Where the endpoint of that name is."},
	{Key: "providers.<name>.key", Type: Key, Project: UserOnly, Doc: "Its key: env:NAME, file:PATH, or the key itself if only you can read the file. Empty: none is sent."},
	{Key: "providers.<name>.lineage", Type: Text, Project: UserOnly, Doc: "The family whose errors its models share. Empty: guessed from the model's name, else the provider's name."},
	{Key: "providers.<name>.wire", Type: Choice, Choices: []string{"chat", "responses", "messages", "generate"}, Project: UserOnly, Doc: "The protocol it speaks. Empty: the one of the known provider of that name, else chat."},
	{Key: "providers.<name>.model", Type: Text, Project: UserOnly, Doc: "The model to ask when a seat names none."},

	{Key: "debate.strategy", Type: Text, Default: "council", Project: UserOnly, Doc: "How to debate; --strategy help lists the ways."},
	{Key: "debate.tier", Type: Choice, Choices: []string{"small", "mid", "big"}, Project: UserOnly, Doc: "The tier of seats that name no model. Empty: mid of a vendor, the own default of a program."},
	{Key: "tiers.<name>", Type: Choice, Choices: []string{"small", "mid", "big"}, Project: UserOnly, Doc: "The tier of the vendor or program of that name, in debates and conversations, where neither a seat nor a phase names one. It comes before debate.tier. Empty: none of its own."},
	{Key: "debate.effort", Type: Choice, Choices: []string{"low", "medium", "high"}, Project: UserOnly, Doc: "How hard models think. Empty: as each does by itself."},
	{Key: "debate.economy", Type: Choice, Choices: []string{"pair", "lead"}, Project: UserOnly, Doc: "Ask fewer seats: pair (two first, the rest if they differ) or lead (until the lead is safe). Empty: ask all."},
	{Key: "debate.seat_timeout", Type: Span, Default: "5m", Min: 1, Max: day, Project: Lower, Doc: "How long one seat may take for one turn."},
	{Key: "debate.timeout", Type: Span, Default: "20m", Min: 1, Max: 7 * day, Project: Lower, Doc: "How long a debate may take."},
	{Key: "debate.grace", Type: Span, Default: "90s", Max: hour, Project: Lower, Doc: "How long to wait for the last seats once the others have answered."},
	{Key: "debate.rounds", Type: Count, Default: "2", Min: 1, Max: 4, Project: Lower, Doc: "Cross-examinations at most; another one only if the last brought a new checked fact."},
	{Key: "debate.certainty", Type: Amount, Default: "0.85", Min: 0.5, Max: 1, Project: UserOnly, Doc: "How probable the leading option must be before checking ends. Of the answers it is surest of, fewer are wrong with 0.97, for more checks."},
	{Key: "debate.budget_usd", Type: Amount, Default: "0", Max: 1e6, Project: Lower, Open: true, Doc: "Most dollars a debate may cost. 0: no limit."},
	{Key: "debate.max_tokens", Type: Count, Default: "0", Max: 1e12, Project: Lower, Open: true, Doc: "Most tokens a debate may use. 0: no limit."},
	{Key: "debate.max_claims", Type: Count, Default: "7", Min: 1, Max: 100, Project: Lower, Doc: "Most claims a seat may bring."},
	{Key: "debate.tool_calls", Type: Count, Default: "12", Max: 1000, Project: Lower, Doc: "Most tool calls of a seat in one turn."},
	{Key: "debate.history", Type: Count, Default: "3", Max: 3, Project: Lower, Doc: "Most earlier decisions on similar questions shown to the seats, as history. 0: none."},

	{Key: "refine.threshold", Type: Amount, Default: "0", Max: 1, Project: UserOnly, Doc: "How close the versions of the strategy refine must be to end it. 0: by the type of the question, .75 to .85."},
	{Key: "refine.min_rounds", Type: Count, Default: "0", Max: 4, Project: UserOnly, Doc: "Versions a seat writes at least. 0: two."},
	{Key: "refine.warning", Type: Amount, Default: "0", Max: 1, Project: UserOnly, Doc: "Below this closeness the versions are said to be far apart. 0: .30."},
	{Key: "refine.stagnation", Type: Amount, Default: "0", Max: 1, Project: UserOnly, Doc: "From the third version on a smaller gain ends it. 0: .02."},
	{Key: "refine.abort", Type: Amount, Default: "0", Max: 1, Project: UserOnly, Doc: "Below this closeness the panel is aborted: no further version, no votes, no decision, exit code 10; a person should look. 0: .10."},

	{Key: "chat.model", Type: Text, Project: UserOnly, Doc: "Who answers in run and chat when nobody is named: a seat. Empty: the first that is found."},

	{Key: "memory.shown", Type: Count, Default: "3", Max: 3, Project: Lower, Doc: "Most notes, and most earlier decisions, that a conversation is shown at once, as history. 0: none."},

	{Key: "decisions.adr", Type: Choice, Default: "off", Choices: []string{"off", "on"}, Project: UserOnly, Doc: "Whether every decision is written as a numbered file when its debate ends."},
	{Key: "decisions.dir", Type: Text, Default: "docs/adr", Project: UserOnly, Doc: "Folder of these files, below the project's."},

	{Key: "checks.commands", Type: List, Project: Remove, Doc: "Commands a check may run, as words: \"go test ./...\". Empty: none."},
	{Key: "checks.sources", Type: List, Project: Remove, Doc: "Hosts a check may fetch from. Empty: none."},
	{Key: "checks.timeout", Type: Span, Default: "2m", Min: 1, Max: day, Project: Lower, Doc: "How long a check may take."},

	{Key: "permission.mode", Type: Choice, Default: "balanced", Choices: []string{"plan", "paranoid", "balanced", "yolo"}, Project: Tighten, Doc: "How much an agent may do without asking, the strictest first; `socrates permission why` shows what it means."},
	{Key: "permission.rules", Type: List, Project: Tighten, Doc: "What is allowed, asked or denied whatever the mode says, a line each: \"allow bash go test *\", \"ask write docs/**\", \"deny fetch *.example.com\". Deny wins."},

	{Key: "sandbox.programs", Type: Choice, Default: "auto", Choices: []string{"required", "auto", "off"}, Project: Tighten, Doc: "Whether other vendors' programs run in our sandbox when they take a seat: auto where the system has one, with a warning where it has none; required refuses such seats there."},
	{Key: "programs.<name>.hosts", Type: List, Project: UserOnly, Doc: "Hosts that the program of that name may reach in the sandbox besides those of its vendor and of its endpoint: api.example.com, *.example.com, localhost:8080."},
	{Key: "programs.<name>.write", Type: List, Project: UserOnly, Doc: "Folders that it may write in the sandbox besides its own, as whole paths."},
	{Key: "sandbox.read", Type: List, Project: UserOnly, Doc: "Folders that programs an agent starts may read besides the project and toolchains, of your home or what else is hidden from them: ~/src/shared, /data. Empty: none."},
	{Key: "sandbox.processes", Type: Count, Default: "4096", Project: Lower, Open: true, Doc: "Most processes that the programs of a conversation may have at once, on Linux, not for root. 0: no limit."},
	{Key: "sandbox.memory", Type: Count, Project: Lower, Open: true, Default: "0", Doc: "Most MiB of memory that each process of a program may write to. 0: no limit."},
	{Key: "sandbox.file", Type: Count, Default: "8192", Project: Lower, Open: true, Doc: "Largest file in MiB that a program may write. 0: no limit."},
	{Key: "sandbox.cpu", Type: Span, Default: "1h", Project: Lower, Open: true, Doc: "Most processor time that each process of a program may use. 0s: no limit."},

	{Key: "fetch.inner", Type: List, Project: Remove, Doc: "Hosts that fetch and `http:` handles may reach although they are not on the public internet, as wiki.corp or localhost:8080, each written out. It asks as for any other. Empty: none."},

	{Key: "output.color", Type: Choice, Default: "auto", Choices: []string{"auto", "always", "never"}, Project: UserOnly, Doc: "Whether to use colours."},
	{Key: "screen.theme", Type: Choice, Default: "auto", Choices: []string{"auto", "dark", "light", "contrast", "none"}, Project: UserOnly, Doc: "The colours of the screen: auto is dark or light as your terminal is; none uses weight and underlines alone."},
	{Key: "screen.mouse", Type: Choice, Default: "on", Choices: []string{"on", "off"}, Project: UserOnly, Doc: "Whether the screen hears the mouse. While it does, hold shift to select as your terminal does."},
	{Key: "screen.notify", Type: Choice, Default: "bell", Choices: []string{"bell", "desktop", "off"}, Project: UserOnly, Doc: "How the screen calls you while you look elsewhere: the terminal's bell, or a notification of the desktop too, where the terminal can show one."},
	{Key: "screen.editor", Type: Text, Project: UserOnly, Doc: "The command that edits what you type. Empty: VISUAL or EDITOR, else vi."},
	{Key: "screen.keys.<name>", Type: List, Project: UserOnly, Doc: "The keys of an action, in place of its own: screen.keys.tab-new: [alt+t]. The help of the screen lists the actions; an empty list takes its keys away."},
	{Key: "keyring", Type: Choice, Default: "system", Choices: []string{"system", "file"}, Project: UserOnly, Doc: "Where socrates login keeps keys: in the keyring of the system, and in a file only you can read where there is none, or always in the file."},
	{Key: "store.path", Type: Path, Project: UserOnly, Doc: "The database. Empty: socrates/socrates.db in the data folder."},

	{Key: "events.<name>.on", Type: List, Choices: []string{"debate_started", "consensus_reached", "person_needed", "debate_ended", "turn_done", "permission_asked", "execution_complete"}, Project: UserOnly, Doc: "What to tell the outside of. events may also be a list; its entries are named 1, 2 and so on."},
	{Key: "events.<name>.command", Type: List, Project: UserOnly, Doc: "The program that gets the event on stdin, and its arguments, as words."},
	{Key: "events.<name>.webhook", Type: Hook, Project: UserOnly, Doc: "Where the event is sent instead."},
	{Key: "events.<name>.secret", Type: Key, Project: UserOnly, Doc: "What signs it: env:NAME, file:PATH, or the secret itself if only you can read the file. Empty: unsigned."},

	{Key: "hooks.<name>.on", Type: List, Choices: []string{"session_start", "before_tool", "after_tool", "turn_done"}, Project: UserOnly, Doc: "When the hook of that name runs."},
	{Key: "hooks.<name>.tools", Type: List, Project: UserOnly, Doc: "Around which tools: names, or globs such as mcp__*. Empty: all."},
	{Key: "hooks.<name>.command", Type: List, Project: UserOnly, Doc: "The program that gets the event on stdin, and its arguments, as words. A path is relative to the project."},
	{Key: "hooks.<name>.timeout", Type: Span, Min: 1, Max: 600, Project: UserOnly, Doc: "How long it may take. Empty: 10s."},
	{Key: "hooks.<name>.guard", Type: Choice, Choices: []string{"true", "false"}, Project: UserOnly, Doc: "Whether a call it came to no answer about is denied. Empty: false, a warning."},

	{Key: "mcp.<name>.command", Type: Text, Project: UserOnly, Doc: "The program of the MCP server of that name, spoken to over its pipes."},
	{Key: "mcp.<name>.args", Type: List, Project: UserOnly, Doc: "Its arguments, as words. ${NAME} is your variable of that name, here and in the next."},
	{Key: "mcp.<name>.env", Type: List, Project: UserOnly, Doc: "Variables it sees besides those of a login: NAME as you have it, or NAME=value."},
	{Key: "mcp.<name>.url", Type: URL, Project: UserOnly, Doc: "Where the server is, instead of a command: https, or http to this machine."},
	{Key: "mcp.<name>.headers", Type: List, Project: UserOnly, Doc: "What it is sent with every request: \"Name: value\"; keys as ${NAME}."},
	{Key: "mcp.<name>.bearer", Type: Key, Project: UserOnly, Doc: "The key it is sent: env:NAME, file:PATH, or the key itself if only you can read the file. Empty: none, or what `socrates mcp login` obtained."},
	{Key: "mcp.<name>.local", Type: Choice, Choices: []string{"true", "false"}, Project: UserOnly, Doc: "true: the server passes nothing on to other machines, so calls need no approval after untrusted text was read. Empty: false."},

	{Key: "context.max_file_bytes", Type: Count, Default: "65536", Min: 1, Max: gib, Project: Lower, Doc: "Most bytes of one file shown to the seats."},
	{Key: "context.max_bytes", Type: Count, Default: "262144", Min: 1, Max: gib, Project: Lower, Doc: "Most bytes of all files shown to the seats."},
}

// Settings returns the table in the order of the reference. Keys with <name> stand for one key per provider.
func Settings() []Setting { return append([]Setting(nil), settings...) }

const anyName = "<name>"

// find returns the row of a key.
func find(key string) (Setting, bool) {
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
	return Setting{}, false
}

// cut returns what stands between before and after in key.
func cut(key, before, after string) (string, bool) {
	key, ok := strings.CutPrefix(key, before)
	if !ok {
		return "", false
	}
	return strings.CutSuffix(key, after)
}

func cleanName(s string) bool {
	return s != "" && len(s) <= 64 && strings.Trim(s, "abcdefghijklmnopqrstuvwxyz0123456789-") == ""
}

// section says whether keys lie below key.
func section(key string) bool {
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

const envPrefix = "SOCRATES_"

// Env is the environment variable of a key: SOCRATES_DEBATE_ROUNDS for debate.rounds. <NAME> stands for a provider's
// name in capitals, its dashes as underscores.
func (s Setting) Env() string {
	return envPrefix + strings.ToUpper(strings.ReplaceAll(s.Key, ".", "_"))
}

// keyOfEnv is the other way round.
func keyOfEnv(variable string) (string, bool) {
	for _, s := range settings {
		before, after, open := strings.Cut(s.Env(), strings.ToUpper(anyName))
		if !open && variable == before {
			return s.Key, true
		}
		if name, ok := cut(variable, before, after); open && ok {
			key := strings.Replace(s.Key, anyName, strings.ToLower(strings.ReplaceAll(name, "_", "-")), 1)
			_, known := find(key)
			return key, known
		}
	}
	return "", false
}

// Reference is the table as a page of Markdown.
func Reference() string {
	var out strings.Builder
	out.WriteString("| setting | type | default | a project may | variable | meaning |\n|---|---|---|---|---|---|\n")
	project := map[Rule]string{UserOnly: "not set it", Lower: "lower it", Remove: "remove entries", Tighten: "tighten it"}
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
func (s Setting) limits() string {
	if s.Max == 0 {
		return ""
	}
	return s.unit(s.Min) + " to " + s.unit(s.Max)
}

func (s Setting) unit(n float64) string {
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
