// Package main_test holds the rules of the tree: who imports whom, how long things may get, which names are not used.
package main_test

import (
	"cmp"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"unicode"

	"github.com/socrates-cli/socrates/test/house"
)

const module = "github.com/socrates-cli/socrates/"

// record are the packages that hold what a debate writes down: who may import the debate may import them.
var record = []string{"internal/debate/exchange", "internal/debate/motion", "internal/debate/people", "internal/debate/ruling", "internal/debate/table"}

// imports says which of our packages a package may import. "*" is any; a trailing "/*" is everything below.
var imports = map[string][]string{
	"":                 {"cmd", "internal/heap"},
	"internal/heap":    {},
	"internal/private": {},
	"internal/build":   {},
	"internal/release": {},
	"internal/update":  {"internal/release"},
	"internal/crash":   {"internal/build", "internal/private", "internal/release"},
	"packaging/npm":    {"internal/release"},
	"internal/scratch": {},
	"internal/lines":   {},
	"test/house":       {},
	"internal/pattern": {},
	"cmd":              {"*"},
	"cmd/setup":        {"*"},
	"cmd/tree":         {"*"},
	"cmd/memory":       {"*"},
	"cmd/panel":        {"*"},
	"cmd/tool":         {"*"},
	"cmd/debate":       {"*"},
	"cmd/decision":     {"*"},
	"cmd/demo":         {"*"},
	"cmd/eval":         {"*"},
	"cmd/screen":       {"*"},
	"cmd/talk":         {"*"},
	"cmd/receipt":      {"*"},
	"cmd/work":         {"*"},
	"cmd/call": {"internal/adr", "internal/build", "internal/clean", "internal/config", "internal/config/setting", "internal/spelling", "internal/debate", "internal/debate/document", "internal/engine", "internal/event", "internal/log",
		"internal/failure", "internal/fleet/invitation", "internal/git", "internal/home", "internal/keyboard", "internal/llm", "internal/mirror", "internal/out", "internal/permission", "internal/plain", "internal/project/folder", "internal/redact", "internal/store", "internal/tree"},
	"cmd/call/frame": {"internal/seat/scheme", "cmd/call", "cmd/call/room", "debate/verdict", "internal/build", "internal/config", "internal/debate",
		"internal/debate/document", "internal/debate/strategy",
		"internal/engine", "internal/eval", "internal/evidence", "internal/failure", "internal/home", "internal/llm/simulated", "internal/out",
		"internal/project", "internal/seat", "internal/work/way"},
	"cmd/call/noun": {"cmd/call", "internal/engine", "internal/failure", "internal/out", "internal/store"},
	"cmd/call/room": {"cmd/call", "cmd/call/teller", "debate/verdict", "internal/adr", "internal/build", "internal/clean", "internal/debate", "internal/debate/document", "internal/drift", "internal/engine",
		"internal/failure", "internal/feed", "internal/keyboard", "internal/learn", "internal/llm", "internal/out", "internal/receipt",
		"internal/scene", "internal/store", "internal/tree"},
	"cmd/call/teller": {"cmd/call", "internal/scene", "debate/verdict", "internal/clean", "internal/debate", "internal/engine", "internal/event",
		"internal/failure", "internal/out", "internal/talk", "internal/tree", "internal/work", "internal/work/record"},
	"cmd/call/turn": {"cmd/call", "internal/budget", "internal/handle", "internal/clean", "internal/debate", "internal/engine", "internal/failure", "internal/llm",
		"internal/permission", "internal/scene", "internal/seat", "internal/talk", "internal/tool", "internal/tool/builtin", "internal/tree"},
	"cmd/door": {"*"}, "cmd/acp": {"*"}, "cmd/fleet": {"*"}, "socrates-hub": {"*"}, "socrates-hub/program": {"*"},
	"internal/acp": {"internal/attach", "internal/seat/scheme", "debate/verdict", "internal/clean", "internal/debate", "internal/debate/document", "internal/debate/strategy", "internal/door",
		"internal/engine", "internal/failure", "internal/feed", "internal/home", "internal/llm", "internal/out", "internal/pattern", "internal/permission", "internal/scene",
		"internal/slash", "internal/store", "internal/talk", "internal/talk/told", "internal/tool", "internal/tool/builtin", "internal/tree", "internal/work"},
	"internal/mirror": {"internal/debate", "internal/door", "internal/engine", "internal/failure", "internal/fleet/invitation", "internal/plain", "internal/private", "internal/store", "internal/tree", "internal/work/record"}, "internal/fleet/invitation": {"internal/private"}, "internal/batch": {"internal/inuse"}, "internal/local": {}, "internal/team": {"internal/batch"}, "internal/team/oidc": {}, "internal/team/oidc/oidctest": {},
	"internal/serve": {"internal/team", "internal/failure", "internal/local", "internal/plain", "internal/serve/api", "internal/serve/guard", "internal/serve/page"},
	"internal/serve/api": {"internal/fleet/lease", "internal/fleet/socket", "internal/team", "debate/verdict", "internal/attach", "internal/config", "internal/config/setting", "internal/home", "internal/private", "internal/debate", "internal/debate/document", "internal/debate/strategy", "internal/door",
		"internal/engine", "internal/failure", "internal/feed", "internal/git", "internal/issue", "internal/learn", "internal/permission", "internal/permission/kept",
		"internal/scene", "internal/serve/guard",
		"internal/serve/news", "internal/store", "internal/talk", "internal/talk/told", "internal/tree", "internal/work/record"},
	"internal/serve/guard": {"internal/private"},
	"internal/markup":      nil,
	"internal/serve/model": {"debate/verdict", "internal/budget", "internal/debate", "internal/debate/document", "internal/door", "internal/engine",
		"internal/failure", "internal/llm", "internal/scene", "internal/serve/api", "internal/serve/guard"},
	"internal/serve/news": {"internal/engine", "internal/feed", "internal/out", "internal/tree"},
	"internal/serve/page": {"internal/budget", "internal/clean", "internal/drift", "internal/fleet/lease", "internal/fleet/socket", "internal/team", "debate/verdict", "internal/debate", "internal/debate/document", "internal/debate/strategy", "internal/door", "internal/engine",
		"internal/eval/statistics", "internal/eval/report", "internal/home", "internal/learn", "internal/phase",
		"internal/failure", "internal/issue", "internal/markup", "internal/scene", "internal/serve/api", "internal/serve/guard",
		"internal/talk", "internal/talk/told",
		"internal/tool", "internal/tree", "internal/work", "internal/work/plan", "internal/work/proof",
		"internal/work/queue", "internal/work/record", "internal/work/trace"},
	"internal/door": {"debate/verdict", "internal/debate", "internal/debate/document", "internal/debate/strategy", "internal/engine", "internal/engine/rooms",
		"internal/failure", "internal/scene", "internal/store", "internal/tree"},
	"internal/llm":                 {"internal/llm/cost", "internal/llm/trouble"},
	"internal/llm/catalogue":       {"internal/llm", "internal/llm/cost"},
	"internal/llm/cost":            {},
	"internal/llm/draft":           {"internal/clean", "internal/llm", "internal/llm/cost", "internal/llm/trouble", "internal/llm/wire"},
	"internal/llm/fence":           {},
	"internal/llm/form":            {},
	"internal/llm/meter":           {"internal/llm", "internal/llm/cost", "internal/llm/trouble"},
	"internal/llm/retry":           {"internal/llm", "internal/llm/trouble"},
	"internal/llm/trouble":         {"internal/plain"},
	"internal/llm/wire":            {"internal/llm/trouble", "internal/plain"},
	"internal/llm/anthropic":       {"internal/llm"},
	"internal/llm/openai":          {"internal/llm"},
	"internal/llm/gemini":          {"internal/llm"},
	"internal/llm/aws":             {"internal/llm"},
	"internal/llm/bedrock":         {"internal/llm", "internal/llm/anthropic", "internal/llm/aws", "internal/llm/openai"},
	"internal/llm/vertex":          {"internal/llm", "internal/llm/anthropic", "internal/llm/gemini", "internal/llm/openai"},
	"internal/llm/pace":            {"internal/llm", "internal/private"},
	"internal/llm/cli":             {"internal/llm", "internal/process", "internal/process/marked", "internal/sandbox", "internal/egress", "internal/scratch"},
	"internal/llm/script":          {"internal/llm"},
	"internal/llm/rehearsal":       {"internal/llm"},
	"internal/llm/simulated":       {"internal/llm", "internal/llm/simulated/fault"},
	"internal/llm/simulated/fault": {"internal/llm"},
	"internal/llm/llmtest":         {"internal/llm", "internal/llm/aws", "internal/llm/llmtest/fault"},
	"internal/llm/llmtest/fault":   {}, "internal/llm/llmtest/guest": {"internal/llm/cli"},
	"internal/tree":    {},
	"internal/git":     {"internal/inuse"},
	"internal/inuse":   {},
	"internal/egress":  {},
	"internal/process": {}, "internal/process/marked": {},
	"internal/sandbox":        {"internal/sandbox/child"},
	"internal/sandbox/child":  {},
	"internal/clean":          {},
	"internal/redact":         {},
	"internal/spelling":       {},
	"internal/plain":          {},
	"internal/config":         {"internal/spelling", "internal/private", "internal/process/marked", "internal/config/setting"},
	"internal/config/setting": {"internal/release", "internal/spelling"},
	"internal/tool":           {"internal/llm", "internal/shell"},
	"internal/talk":           {"internal/llm", "internal/tool", "internal/tree"},
	"internal/talk/archive":   {"internal/llm", "internal/talk", "internal/talk/asking", "internal/talk/margin", "internal/talk/material", "internal/talk/memory", "internal/tree"},
	"internal/talk/asking":    {"internal/tool", "internal/tree"},
	"internal/talk/margin":    {"internal/llm", "internal/talk/asking", "internal/tree"},
	"internal/talk/material":  {"internal/llm", "internal/tree"},
	"internal/talk/memory":    {"internal/tree"},
	"internal/talk/outline":   {"internal/llm", "internal/talk", "internal/talk/margin", "internal/talk/material", "internal/tree"},
	"internal/talk/spending":  {"internal/llm", "internal/talk", "internal/talk/margin", "internal/talk/material", "internal/tree"},
	"internal/talk/view":      {"internal/llm", "internal/talk", "internal/talk/margin", "internal/talk/material", "internal/talk/memory", "internal/tree"},
	"internal/talk/told":      {"internal/pattern", "internal/talk", "internal/tool", "internal/tree"},
	"internal/adopt":          {"internal/clean", "internal/page", "internal/pattern", "internal/permission", "internal/redact", "internal/trust"},
	"internal/transcript":     {"internal/clean", "internal/handle", "internal/llm", "internal/talk", "internal/tree"},
	"internal/shell":          {"internal/inuse", "internal/process"},
	"internal/snapshot":       {"internal/clean", "internal/git", "internal/project/litter"}, "internal/project/litter": {}, "internal/literal": {"internal/pattern"},
	"internal/confine": {"internal/process/marked", "internal/git", "internal/permission", "internal/permission/consent", "internal/process", "internal/project/folder", "internal/project/sensitive", "internal/sandbox",
		"internal/egress"},
	"internal/permission": {"internal/shell", "internal/tool", "internal/process",
		"internal/project/sensitive", "internal/permission/consent", "internal/permission/foreign"},
	"internal/permission/kept":    {"internal/permission", "internal/permission/foreign", "internal/private"},
	"internal/permission/consent": {},
	"internal/permission/foreign": {},
	"internal/page":               {"internal/clean", "internal/spelling"},
	"internal/phase": {"internal/page", "internal/project", "internal/project/folder", "internal/clean", "internal/spelling", "internal/llm",
		"internal/tool", "internal/work/plan"},
	"internal/keyring": {}, "internal/callback": {}, "internal/clipboard": {"internal/attach", "internal/process"}, "internal/attach": {"internal/clean", "internal/llm"},
	"internal/mcp":  {"internal/attach", "internal/callback", "internal/tool", "internal/llm", "internal/process", "internal/clean"},
	"internal/hook": {"internal/process", "internal/tool", "internal/clean"}, "internal/trust": {"internal/clean", "internal/private"},
	"internal/drift/account": {"debate/verdict", "internal/debate/document", "internal/drift", "internal/out"},
	"internal/slash": {"internal/clipboard", "internal/permission", "internal/drift", "internal/drift/account", "internal/attach", "internal/clean", "internal/permission/kept", "internal/failure", "internal/project/folder", "internal/debate", "internal/engine", "internal/pattern", "internal/phase", "internal/scene", "internal/spelling", "internal/talk", "internal/talk/told", "internal/tree",
		"internal/build", "internal/work", "internal/work/plan", "internal/work/queue", "internal/work/record", "internal/work/way"},
	"internal/project/idea":      {"internal/clean", "internal/project/folder"},
	"internal/project/folder":    {"internal/inuse", "internal/spelling", "internal/clean", "internal/git", "internal/project/sensitive"},
	"internal/project/sensitive": {},
	"internal/tool/builtin":      {"internal/attach", "internal/tool", "internal/shell", "internal/sandbox", "internal/process", "internal/project/folder", "internal/project/sensitive", "internal/clean", "internal/git", "internal/web", "internal/websearch", "internal/llm", "internal/spelling"},
	"internal/project":           {"internal/project/folder", "internal/clean", "internal/git", "internal/redact"},
	"internal/store":             {"internal/inuse", "internal/tree"},
	"internal/peer":              {"internal/feed", "internal/tree"},
	"internal/persona":           {"internal/page", "internal/project"},
	"internal/event":             {"internal/process", "internal/clean"},
	"internal/feed":              {"internal/tree"},
	"internal/agent":             {"internal/llm", "internal/tool"},
	"internal/budget":            {"internal/llm"},
	"internal/journal":           {"internal/tree"},
	"debate/verdict":             {},
	"internal/debate/fact":       {"internal/pattern"},
	"internal/debate":            {"internal/seat/scheme", "internal/debate/fact", "internal/debate/exchange", "internal/debate/motion", "internal/debate/people", "internal/debate/ruling", "internal/debate/table", "internal/clean", "debate/verdict", "internal/agent", "internal/journal", "internal/llm", "internal/budget", "internal/tool", "internal/tree"},
	"internal/debate/table":      {"debate/verdict", "internal/llm", "internal/tree"},
	"internal/debate/ruling":     {"debate/verdict", "internal/llm", "internal/tree"},
	"internal/debate/people":     {"internal/clean", "internal/debate/table", "internal/pattern", "internal/tree"},
	"internal/debate/exchange":   {"internal/llm", "internal/tree"},
	"internal/debate/motion":     {"debate/verdict", "internal/clean"},
	"internal/debate/document":   {"internal/literal", "internal/seat/scheme", "debate/verdict", "internal/debate", "internal/shell"},
	"internal/debate/strategy":   {"debate/verdict", "internal/debate"},
	"internal/debate/clock":      {"internal/debate", "internal/tree"},
	"internal/learn":             {"debate/verdict", "internal/debate", "internal/eval", "internal/eval/calibration", "internal/eval/statistics", "internal/tree"},
	"internal/eval":              {"debate/verdict", "internal/debate", "internal/llm", "internal/llm/simulated", "internal/eval/calibration", "internal/eval/statistics"},
	"internal/eval/advice":       {"internal/eval/statistics"},
	"internal/eval/calibration":  {"debate/verdict", "internal/eval/statistics"},
	"internal/eval/statistics":   {},
	"internal/eval/suite":        {"internal/debate"},
	"internal/eval/contest":      {"debate/verdict", "internal/debate", "internal/debate/strategy", "internal/eval/suite", "internal/llm", "internal/llm/simulated", "internal/tree"},
	"internal/eval/report":       {"internal/debate", "internal/eval/advice", "internal/eval/calibration", "internal/eval/statistics", "internal/eval/contest", "internal/eval/suite", "internal/llm"},
	"internal/eval/puzzle":       {"internal/eval/suite"},
	"internal/web":               {"internal/clean"},
	"internal/websearch":         {"internal/clean"},
	"internal/handle":            {"internal/attach", "internal/clean", "internal/project/folder", "internal/project/sensitive", "internal/web"},
	"internal/evidence":          {"internal/process/marked", "debate/verdict", "internal/debate/fact", "internal/plain", "internal/process", "internal/debate", "internal/debate/document", "internal/git", "internal/project/folder", "internal/clean", "internal/web"},
	"internal/adr":               {"internal/project/sensitive"},
	"internal/drift": {"debate/verdict", "internal/debate", "internal/evidence", "internal/git", "internal/project/folder",
		"internal/receipt", "internal/tree"},
	"internal/receipt": {"internal/literal", "debate/verdict", "internal/debate", "internal/debate/document", "internal/debate/strategy", "internal/evidence",
		"internal/learn", "internal/tree"},
	"internal/failure": {"internal/adr", "internal/config", "internal/crash", "internal/debate", "internal/engine", "internal/journal", "internal/llm", "internal/page", "internal/pattern", "internal/plain",
		"internal/project/folder", "internal/receipt", "internal/spelling", "internal/store"},
	"internal/out":         {"internal/literal", "internal/clean", "internal/failure", "internal/log", "internal/pattern", "internal/plain", "internal/redact"},
	"internal/log":         {},
	"internal/seat/scheme": {},
	"internal/seat":        {"internal/seat/scheme", "debate/verdict", "internal/debate", "internal/failure", "internal/llm", "internal/llm/cli", "internal/llm/simulated"},
	"internal/home": {"internal/process/marked", "internal/store", "internal/team", "internal/work/record", "internal/fleet/remote", "internal/fleet/socket", "internal/seat/scheme", "internal/adopt", "internal/clean", "internal/config", "internal/config/setting", "internal/confine", "internal/debate", "internal/diagnose", "internal/engine", "internal/failure", "internal/git",
		"internal/hook", "internal/keyring", "internal/llm", "internal/llm/anthropic", "internal/llm/aws", "internal/llm/bedrock", "internal/llm/cli", "internal/llm/pace", "internal/llm/gemini", "internal/llm/openai", "internal/llm/rehearsal", "internal/llm/vertex", "internal/process",
		"internal/llm/script", "internal/mcp", "internal/page", "internal/permission", "internal/permission/consent", "internal/permission/kept", "internal/persona", "internal/phase", "internal/project",
		"internal/project/folder", "internal/project/sensitive", "internal/sandbox", "internal/seat", "internal/shell", "internal/snapshot", "internal/spelling", "internal/talk", "internal/tool",
		"internal/tool/builtin", "internal/trust", "internal/websearch", "internal/evidence", "internal/work/plan", "internal/work/proof", "internal/work/record", "internal/work/way", "internal/work/workspace"},
	"internal/browser": {"internal/failure", "internal/home", "internal/redact"}, "internal/sample": {"internal/private"},
	"internal/export": {"internal/literal", "internal/clean", "internal/engine", "internal/failure", "internal/markup", "internal/scene", "internal/talk", "internal/talk/material",
		"internal/talk/outline", "internal/talk/told", "internal/tree"},
	"internal/login": {"internal/browser", "internal/callback", "internal/clean", "internal/failure", "internal/home", "internal/keyring", "internal/llm", "internal/llm/cli", "internal/out"},
	"internal/slash/env": {"internal/tree", "internal/engine", "internal/export", "internal/home", "internal/out", "internal/phase", "internal/project/folder",
		"internal/slash"},
	"internal/diagnose":   {"internal/clean", "internal/process", "internal/scratch"},
	"internal/keyboard":   {"internal/tui/editor", "internal/tui/theme", "internal/out", "internal/process"},
	"internal/terminal":   {},
	"internal/tui/action": {},
	"internal/tui/box":    {"internal/tui/line", "internal/tui/theme"},
	"internal/tui/chatpage": {"internal/clipboard", "internal/clean", "internal/engine", "internal/llm", "internal/pattern", "internal/scene", "internal/slash",
		"internal/spelling", "internal/talk", "internal/talk/told", "internal/tool", "internal/tree", "internal/tui/action", "internal/tui/box",
		"internal/tui/dialog", "internal/tui/editor", "internal/tui/line", "internal/tui/markdown", "internal/tui/menu",
		"internal/tui/people", "internal/tui/picker", "internal/tui/screen", "internal/tui/scroll", "internal/tui/theme", "internal/work"},
	"internal/tui/dialog": {"internal/slash", "internal/tui/box", "internal/tui/editor", "internal/tui/line", "internal/tui/markdown",
		"internal/tui/picker", "internal/tui/screen"},
	"internal/tui/editor":   {"internal/clean", "internal/tui/theme"},
	"internal/tui/line":     {"internal/clean", "internal/pattern", "internal/spelling", "internal/tui/theme"},
	"internal/tui/markdown": {"internal/clean", "internal/tui/theme"},
	"internal/tui/menu":     {"internal/clean", "internal/slash", "internal/tui/editor", "internal/tui/line", "internal/tui/screen"},
	"internal/tui/people": {"internal/config", "internal/permission", "internal/home", "internal/login", "internal/out", "internal/seat", "internal/engine", "internal/project/idea", "internal/spelling", "internal/tui/dialog", "internal/tui/line", "internal/tui/picker",
		"internal/tui/screen"},
	"internal/tui/picker":  {"internal/clean", "internal/tui/editor", "internal/tui/theme"},
	"internal/tui/picture": {"internal/llm", "internal/pattern", "internal/tui/theme"},
	"internal/tui/roompage": {"debate/verdict", "internal/debate", "internal/debate/document", "internal/engine", "internal/llm", "internal/sample", "internal/scene", "internal/slash",
		"internal/talk", "internal/tree", "internal/tui/action", "internal/tui/box", "internal/tui/dialog", "internal/tui/editor",
		"internal/tui/line", "internal/tui/markdown", "internal/tui/menu", "internal/tui/picker", "internal/tui/screen",
		"internal/tui/scroll", "internal/tui/theme"},
	"internal/tui/runpage": {"internal/clean", "internal/seat/scheme", "internal/engine", "internal/scene", "internal/spelling", "internal/store", "internal/talk", "internal/tree", "internal/tui/action",
		"internal/tui/box", "internal/tui/dialog", "internal/tui/line", "internal/tui/markdown", "internal/tui/screen", "internal/tui/scroll",
		"internal/tui/theme", "internal/work", "internal/work/proof", "internal/work/queue", "internal/work/record", "internal/work/way",
		"internal/work/workspace"},
	"internal/tui/screen": {"internal/clean", "internal/clipboard", "internal/failure", "internal/engine", "internal/slash", "internal/talk", "internal/tree", "internal/tui/action",
		"internal/tui/box", "internal/tui/editor", "internal/tui/line", "internal/tui/picture", "internal/tui/scroll", "internal/tui/theme"},
	"internal/tui/scroll": {"internal/tui/editor", "internal/tui/line", "internal/tui/theme"},
	"internal/tui/theme":  {},
	"internal/tui/treepage": {"internal/engine", "internal/scene", "internal/spelling", "internal/talk", "internal/talk/told", "internal/tree", "internal/tui/action",
		"internal/tui/box", "internal/tui/dialog", "internal/tui/editor", "internal/tui/line", "internal/tui/markdown",
		"internal/tui/screen", "internal/tui/scroll", "internal/tui/theme"},
	"internal/tui": {"internal/attach", "internal/tui/picture", "internal/seat/scheme", "internal/config", "internal/config/setting", "internal/crash",
		"internal/debate", "internal/debate/document", "internal/engine", "internal/home", "internal/keyboard", "internal/pattern", "internal/private", "internal/llm", "internal/sample", "internal/slash",
		"internal/slash/env", "internal/spelling", "internal/talk", "internal/tui/action", "internal/tui/box", "internal/tui/chatpage", "internal/tui/dialog", "internal/tui/editor",
		"internal/tui/line", "internal/tui/markdown", "internal/tui/menu", "internal/tui/people", "internal/tui/picker",
		"internal/tui/roompage", "internal/tui/runpage", "internal/tui/screen", "internal/tui/scroll", "internal/tui/theme", "internal/tui/treepage"},
	"internal/scene": {"internal/literal", "debate/verdict", "internal/eval/contest", "internal/engine", "internal/talk", "internal/talk/told", "internal/debate",
		"internal/debate/clock", "internal/feed", "internal/tree", "internal/llm", "internal/tool", "internal/clean"},
	// Who may import the engine may import its parts.
	"internal/engine": {"internal/crash", "internal/feed", "internal/git", "internal/peer", "internal/store", "internal/tree"},
	"internal/engine/all": {"internal/engine", "internal/engine/conversation", "internal/engine/evals", "internal/engine/issues",
		"internal/engine/notes",
		"internal/engine/queues", "internal/engine/rooms", "internal/engine/runs", "internal/engine/turns", "internal/store", "internal/tree"},
	"internal/engine/conversation": {"internal/clean", "internal/debate", "internal/debate/document", "internal/engine", "internal/engine/rooms", "internal/git",
		"internal/permission", "internal/snapshot", "internal/store", "internal/talk", "internal/talk/told", "internal/tool", "internal/tree", "internal/work", "internal/work/way"},
	"internal/engine/evals": {"internal/seat/scheme", "debate/verdict", "internal/budget", "internal/debate", "internal/engine", "internal/engine/rooms", "internal/eval/contest",
		"internal/eval/suite", "internal/learn", "internal/llm", "internal/store", "internal/tree"},
	"internal/engine/notes": {"internal/engine", "internal/store", "internal/talk", "internal/tree"},
	"internal/engine/queues": {"internal/engine", "internal/engine/runs", "internal/store", "internal/tree", "internal/work", "internal/work/queue",
		"internal/work/way"},
	"internal/engine/rooms": {"debate/verdict", "internal/debate", "internal/debate/clock", "internal/debate/document", "internal/debate/strategy", "internal/engine", "internal/feed",
		"internal/git", "internal/journal", "internal/learn", "internal/llm", "internal/store", "internal/tool", "internal/tree"},
	"internal/engine/runs": {"internal/clean", "internal/hook", "internal/budget", "internal/engine", "internal/engine/conversation", "internal/engine/turns", "internal/git",
		"internal/journal", "internal/debate", "internal/debate/document", "internal/engine/rooms", "internal/llm/trouble", "internal/permission", "internal/store",
		"internal/talk", "internal/tree", "internal/work", "internal/work/plan",
		"internal/forge", "internal/receipt", "internal/work/accept", "internal/work/choice", "internal/work/mutant", "internal/work/objection", "internal/work/parcel",
		"internal/work/proof", "internal/work/record", "internal/scratch", "internal/work/report", "internal/work/review", "internal/work/trace", "internal/work/way",
		"internal/work/workspace"},
	"internal/work/parcel": {"internal/journal", "internal/receipt", "internal/talk", "internal/tree", "internal/work", "internal/work/record",
		"internal/work/way", "internal/work/workspace"},
	"internal/work/plan":      {},
	"internal/work/workspace": {"internal/git", "internal/project/litter", "internal/scratch"},
	"internal/work/proof":     {"internal/project/sensitive", "internal/work/plan", "internal/work/workspace"},
	"internal/work/queue":     {"internal/tree", "internal/work/way"},
	"internal/fleet":          {"internal/llm"},
	"internal/fleet/lease":    {"internal/fleet", "internal/batch", "internal/llm"},
	"internal/fleet/socket":   {"internal/fleet", "internal/fleet/lease", "internal/llm", "internal/local", "internal/team"},
	"internal/fleet/remote":   {"internal/budget", "internal/fleet/code", "internal/fleet/lease", "internal/fleet/socket", "internal/llm", "internal/team"},
	"internal/fleet/hub":      {"internal/fleet/metrics", "internal/build", "internal/fleet", "internal/fleet/release", "internal/fleet/bus", "internal/fleet/code", "internal/fleet/lease", "internal/fleet/socket", "internal/team"},
	"internal/fleet/worker":   {"internal/fleet", "internal/fleet/bus", "internal/fleet/code", "internal/llm", "internal/seat/scheme"},
	"internal/fleet/release":  {}, "internal/fleet/metrics": {},
	"internal/fleet/bus":      {"internal/fleet", "internal/fleet/release", "internal/llm", "internal/private"},
	"internal/fleet/code":     {"internal/fleet", "internal/git", "internal/inuse", "internal/private", "internal/project/sensitive"},
	"internal/work/way":       {"internal/tree", "internal/work/plan", "internal/work/record"},
	"internal/work/report":    {"internal/literal", "internal/llm", "internal/work", "internal/work/plan", "internal/work/trace"},
	"internal/work/review":    {"internal/pattern", "internal/work/plan", "internal/work/proof", "internal/work/trace", "internal/work/workspace"},
	"internal/work/mutant":    {"internal/pattern", "internal/tree"},
	"internal/work/objection": {"internal/llm", "internal/pattern", "internal/tree"},
	"internal/forge":          {"internal/process"},
	"internal/issue":          {"internal/literal", "internal/debate/document", "internal/pattern", "internal/tree", "internal/work", "internal/work/report"},
	"internal/engine/issues": {"internal/debate/document", "internal/engine", "internal/engine/rooms", "internal/engine/runs",
		"internal/forge",
		"internal/git", "internal/issue", "internal/scratch", "internal/store", "internal/tree"},
	"internal/work/accept": {"internal/tree"},
	"internal/work/choice": {"internal/llm", "internal/pattern", "internal/tree", "internal/work/proof"},
	"internal/work/trace": {"internal/work/choice", "internal/work/objection", "internal/llm", "internal/tree", "internal/work", "internal/work/plan",
		"internal/work/proof", "internal/work/record"},
	"internal/work/record": {"internal/llm", "internal/tree", "internal/work/plan", "internal/work/proof", "internal/work/workspace"},
	"internal/work": {"internal/clean", "internal/literal", "internal/journal", "internal/llm", "internal/tree", "internal/work/accept", "internal/work/choice",
		"internal/work/mutant", "internal/work/objection", "internal/work/plan", "internal/work/proof",
		"internal/work/queue", "internal/work/record", "internal/work/way", "internal/work/workspace"},
	"internal/engine/turns": {"internal/attach", "debate/verdict", "internal/agent", "internal/budget", "internal/clean", "internal/debate", "internal/engine",
		"internal/engine/conversation", "internal/engine/notes", "internal/engine/rooms", "internal/feed", "internal/git",
		"internal/handle", "internal/hook", "internal/llm", "internal/permission", "internal/permission/consent", "internal/permission/foreign", "internal/permission/kept", "internal/phase", "internal/snapshot",
		"internal/store", "internal/talk", "internal/talk/told", "internal/tool", "internal/tree", "internal/web"},
}

// conversation are the parts of internal/talk: who may import it may import them.
var conversation = []string{
	"internal/talk/archive", "internal/talk/asking", "internal/talk/margin", "internal/talk/material", "internal/talk/memory",
	"internal/talk/outline", "internal/talk/spending", "internal/talk/view",
}

// model are the parts of internal/llm that adapters and callers share: who may import it may import them.
var model = []string{
	"internal/llm/catalogue", "internal/llm/cost", "internal/llm/draft", "internal/llm/fence", "internal/llm/form", "internal/llm/meter",
	"internal/llm/retry", "internal/llm/trouble", "internal/llm/wire",
}

// everyones are what all may import.
var everyones = []string{"internal/lines", "internal/pattern", "internal/scratch"}

// programs are main packages of their own, for tests and trials.
var programs = []string{"internal/llm/llmtest/loopback", "docs/picture", "stress/grow", "packaging", "test/systems"}

// vendors and their programs may be named in their own folder, in the catalogue's data, in the test server and in cmd.
var vendors = []string{"anthropic", "openai", "gemini", "google", "claude", "codex", "copilot", "opencode", "openrouter", "ollama", "deepseek", "mistral", "lmstudio", "vllm", "bedrock"}

// shortVendors are looked for as whole identifiers, and as whole words of strings: they are parts of other words. So is whatever else
// the catalogue or the programs name.
var shortVendors = []string{"grok", "xai", "pi", "qwen", "kimi", "goose", "groq", "crush", "vertex"}

// vendorHomes: files that hold a project's conventions, names of settings, shapes of keys, variables to be without, or where programs
// keep their logins, carry vendors' names.
var vendorHomes = []string{"cmd/", "internal/home/", "docs/picture/", "internal/llm/", "internal/redact/", "internal/project/layout.go", "internal/project/sensitive/steer.go",
	"internal/config/setting/setting.go", "internal/confine/login.go", "internal/transcript/", "internal/adopt/", "internal/hook/", "internal/phase/convention.go"}

// seatWord begins the spec of a seat of a kind of its own.
var seatWord = regexp.MustCompile("^[\"`](script|sim|acp|rehearsal):[\"`]$")

// strategyHomes may name a strategy: the settings their default and presets, contests an arm of that name.
var strategyHomes = []string{"internal/debate/strategy", "internal/config", "internal/config/setting", "internal/eval/contest"}

// TestStrategyNames keeps the names of strategies with the strategies: what depends on one is a field of debate.Strategy. A name that is
// also a word of something else (single, parallel, refine) is looked for where a Strategy is compared.
func TestStrategyNames(t *testing.T) {
	list := sources(t)
	names := house.Values(list, "internal/debate/strategy", "Name")
	if !names["council"] || len(names) < 9 {
		t.Fatalf("the names of the strategies were not found: %v", names)
	}
	for _, s := range list {
		if s.Test() || slices.Contains(strategyHomes, s.Folder()) {
			continue
		}
		ast.Inspect(s.File, func(n ast.Node) bool {
			name := house.Literal(n)
			if compared, ok := n.(*ast.BinaryExpr); ok {
				for _, side := range []ast.Expr{compared.X, compared.Y} {
					if field, ok := side.(*ast.SelectorExpr); ok && field.Sel.Name == "Strategy" {
						name = house.Literal(compared.X) + house.Literal(compared.Y)
					}
				}
			} else if slices.Contains([]string{"single", "parallel", "refine"}, name) {
				name = ""
			}
			if names[name] {
				t.Errorf("%s names the strategy %s: what depends on one is a field of debate.Strategy", s.At(n.Pos()), name)
			}
			return true
		})
	}
}

// vendorless are paths of libraries that have to do with a vendor's name and with none of its models.
var vendorless = []string{"github.com/google/jsonschema-go/"}

// parsed is every file, once: all rules look at the same.
var parsed = sync.OnceValues(func() ([]house.Source, error) { return house.Sources(".") })

func sources(t *testing.T) []house.Source {
	t.Helper()
	out, err := parsed()
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func TestImports(t *testing.T) {
	for _, s := range sources(t) {
		if s.Test() || slices.Contains(programs, s.Folder()) {
			continue
		}
		allowed, known := imports[s.Folder()]
		if !known {
			t.Errorf("%s: the folder %s is not in the import table", s.Path, s.Folder())
			continue
		}
		for _, imp := range s.File.Imports {
			path, ours := strings.CutPrefix(strings.Trim(imp.Path.Value, `"`), module)
			part := strings.HasPrefix(path, "internal/engine/") && slices.Contains(allowed, "internal/engine") && !strings.HasPrefix(s.Folder(), "internal/engine/")
			part = part || slices.Contains(record, path) && slices.Contains(allowed, "internal/debate")
			part = part || slices.Contains(conversation, path) && slices.Contains(allowed, "internal/talk")
			part = part || slices.Contains(model, path) && slices.Contains(allowed, "internal/llm")
			if ours && !part && !slices.Contains(everyones, path) && !slices.Contains(allowed, path) && !slices.Contains(allowed, "*") {
				t.Errorf("%s imports %s, which its place in the layout does not allow", s.Path, path)
			}
			if s.Folder() == "debate/verdict" && (ours || strings.Contains(path, ".")) {
				t.Errorf("%s imports %s: the verdict is for anybody to import, and needs nothing but Go", s.Path, path)
			}
			if path == "text/template" || path == "html/template" {
				t.Errorf("%s imports %s, which keeps every method of every type in the program: 7 MB", s.Path, path)
			}
			if strings.HasPrefix(s.Folder(), "cmd/") && strings.HasPrefix(path, "cmd/") && path != "cmd/call" && !strings.HasPrefix(path, "cmd/call/") {
				t.Errorf("%s imports %s: commands of one noun do not know those of another", s.Path, path)
			}
		}
	}
}

// TestNouns keeps the commands of each noun behind one constructor: what others need of it are methods of what that returns.
func TestNouns(t *testing.T) {
	made := map[string][]string{}
	for _, s := range sources(t) {
		noun, ok := strings.CutPrefix(s.Folder(), "cmd/")
		if s.Test() || !ok || noun == "call" || strings.HasPrefix(noun, "call/") || strings.Contains(noun, "/") {
			continue
		}
		made[noun] = slices.Clip(made[noun])
		for _, d := range s.File.Decls {
			if f, ok := d.(*ast.FuncDecl); ok && f.Recv == nil && f.Name.IsExported() {
				made[noun] = append(made[noun], f.Name.Name)
			}
		}
	}
	for noun, names := range made {
		if len(names) != 1 {
			t.Errorf("cmd/%s exports the functions %s: one is to make it, the others are methods of what that returns", noun, strings.Join(names, ", "))
		}
	}
}

// TestStart keeps what every start pays for small: what is compiled when a package is made ready, is so for all commands.
func TestStart(t *testing.T) {
	for _, s := range sources(t) {
		if s.Test() {
			continue
		}
		ast.Inspect(s.File, func(n ast.Node) bool {
			if f, ok := n.(*ast.SelectorExpr); ok && strings.HasPrefix(f.Sel.Name, "Set") && strings.HasSuffix(f.Sel.Name, "Template") {
				t.Errorf("%s: a template of cobra keeps every method of every type in the program: 10 MB", s.At(f.Pos()))
			}
			return true
		})
		for _, d := range s.File.Decls {
			if g, ok := d.(*ast.GenDecl); ok {
				ast.Inspect(g, func(n ast.Node) bool {
					if f, ok := n.(*ast.SelectorExpr); ok && f.Sel.Name == "MustCompile" {
						t.Errorf("%s: an expression is compiled at every start; pattern.Of waits until it is used", s.At(f.Pos()))
					}
					return true
				})
			}
		}
	}
}

func TestSizes(t *testing.T) {
	for _, s := range sources(t) {
		limit := 500
		if s.Test() {
			limit = 800
		}
		if s.Lines() > limit {
			t.Errorf("%s has %d lines, the limit is %d", s.Path, s.Lines(), limit)
		}
		for _, d := range s.File.Decls {
			if f, ok := d.(*ast.FuncDecl); ok && !s.Test() {
				if n := s.Span(f); n > 100 {
					t.Errorf("%s: %s has %d lines, the limit is 100", s.Path, f.Name.Name, n)
				}
			}
		}
	}
}

func TestNames(t *testing.T) {
	opened := map[string]bool{}
	for _, s := range sources(t) {
		name := s.File.Name.Name
		if slices.Contains([]string{"util", "utils", "common", "types", "core", "helpers", "service", "manager", "misc"}, name) {
			t.Errorf("%s: a package named %s says nothing", s.Path, name)
		}
		if s.Test() {
			continue
		}
		if _, ok := opened[s.Folder()]; !ok {
			opened[s.Folder()] = false
		}
		if s.File.Doc != nil {
			opened[s.Folder()] = true
		}
		ast.Inspect(s.File, func(n ast.Node) bool {
			if lit, ok := n.(*ast.BasicLit); ok && seatWord.MatchString(lit.Value) && s.Folder() != "internal/seat/scheme" {
				t.Errorf("%s names a kind of seats: what it means belongs in internal/seat/scheme", s.At(n.Pos()))
			}
			if home(s.Path) {
				return true
			}
			for _, v := range vendorsIn(n) {
				t.Errorf("%s names the vendor %s: that belongs in its own folder, in the catalogue or in cmd", s.At(n.Pos()), v)
			}
			return true
		})
	}
	for folder, ok := range opened {
		if !ok {
			t.Errorf("no file of %q opens with a sentence on what the package is", folder)
		}
	}
}

// replacedNames are parts of names that were replaced, with what we say for them. A desk is the screen's alone.
var replacedNames = map[string]string{"heed": "apply", "heeds": "apply", "heeded": "applied", "purse": "budget", "purses": "budgets",
	"heard": "search", "apart": "diff", "carry": "transfer, execute", "carried": "transfer, execute", "carrying": "transfer, execute",
	"kin": "descendants", "shelf": "what it holds", "shelves": "what they hold", "sweep": "what it removes", "swept": "what is gone",
	"special": "what it holds", "desk": "what it holds"}

// TestReplacedNames keeps names that were replaced by words of the field out of the code; docs/words.md has the words.
func TestReplacedNames(t *testing.T) {
	for _, s := range sources(t) {
		ast.Inspect(s.File, func(n ast.Node) bool {
			id, ok := n.(*ast.Ident)
			if !ok {
				return true
			}
			for _, part := range partsOf(id.Name) {
				now := replacedNames[part]
				if screen := part == "desk" && strings.HasPrefix(s.Path, "internal/tui/"); now != "" && !screen {
					t.Errorf("%s: %s: %q was replaced: say %s", s.At(id.Pos()), id.Name, part, now)
				}
			}
			return true
		})
	}
}

// partsOf are the words a name is put together from, in small letters.
func partsOf(name string) []string {
	var b strings.Builder
	for i, r := range name {
		if unicode.IsUpper(r) && i > 0 {
			b.WriteByte(' ')
		}
		b.WriteRune(unicode.ToLower(r))
	}
	return strings.FieldsFunc(b.String(), func(r rune) bool { return r == ' ' || r == '_' })
}

// vendorsIn are the vendors that a node of code names itself. Comments are no code.
func vendorsIn(n ast.Node) (out []string) {
	var text string
	var words []string
	switch n := n.(type) {
	case *ast.Ident:
		text = strings.ToLower(n.Name)
		words = []string{text}
	case *ast.BasicLit:
		if n.Kind != token.STRING {
			return nil
		}
		text = strings.ToLower(n.Value)
		for _, path := range vendorless {
			text = strings.ReplaceAll(text, path, "")
		}
		words = strings.FieldsFunc(text, func(r rune) bool { return !unicode.IsLetter(r) }) // qwen3 and XAI_API_KEY name theirs
	}
	for _, v := range vendors {
		if strings.Contains(text, v) {
			out = append(out, v)
		}
	}
	listed, _ := listedVendors() // what is wrong with it is said by TestVendorsAreAllNamed
	for _, v := range slices.Concat(shortVendors, listed) {
		if slices.Contains(words, v) && !slices.ContainsFunc(out, func(have string) bool { return strings.Contains(v, have) }) {
			out = append(out, v)
		}
	}
	return out
}

// TestVendorsAreFound: what the search for vendors finds, and what only looks like one.
func TestVendorsAreFound(t *testing.T) {
	for code, want := range map[string]string{
		`"acp:goose acp"`: "goose", `goose`: "goose", `mongoose`: "", `"mongoose"`: "", `pi`: "pi", `"pi --mode rpc"`: "pi", `pipe`: "", `"api"`: "", `"a GitHub Copilot"`: "copilot",
		`newOpenAI`: "openai", `"xai/grok-4"`: "grok xai", `"github.com/google/jsonschema-go/jsonschema"`: "", `"google"`: "google", `'"'`: "", `"qwen3"`: "qwen", `"XAI_API_KEY"`: "xai",
	} {
		expr, err := parser.ParseExpr(code)
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.Join(vendorsIn(expr), " "); got != want {
			t.Errorf("%s names %q, want %q", code, got, want)
		}
	}
}

func home(path string) bool {
	return slices.ContainsFunc(vendorHomes, func(h string) bool { return strings.HasPrefix(path, h) })
}

// listedVendors are those in the catalogue and the programs that can sit: no list here has to name a new one.
var listedVendors = sync.OnceValues(func() ([]string, error) {
	return house.Vendors("internal/llm/catalogue/models.yaml", "internal/llm/cli/cli.go")
})

// TestVendorsAreAllNamed: whatever is in the catalogue and whatever program can sit is looked for.
func TestVendorsAreAllNamed(t *testing.T) {
	names, err := listedVendors()
	if err != nil || len(names) < 19 {
		t.Fatalf("only %d vendors and programs were found: %v, %v", len(names), names, err)
	}
	for _, name := range names {
		if len(vendorsIn(ast.NewIdent(name))) == 0 {
			t.Errorf("%s is not looked for", name)
		}
	}
}

// TestComments: every exported name has a comment, on itself, on its group or behind it.
func TestComments(t *testing.T) {
	for _, s := range sources(t) {
		if s.Test() {
			continue
		}
		for _, d := range s.File.Decls {
			switch d := d.(type) {
			case *ast.FuncDecl:
				if d.Name.IsExported() && d.Doc == nil {
					t.Errorf("%s: %s has no comment: say what a caller may assume", s.At(d.Pos()), d.Name.Name)
				}
			case *ast.GenDecl:
				for _, spec := range d.Specs {
					if name := bare(spec); name != "" && d.Doc == nil {
						t.Errorf("%s: %s has no comment: say what it stands for", s.At(spec.Pos()), name)
					}
				}
			}
		}
	}
}

// bare is an exported name that has no comment of its own.
func bare(spec ast.Spec) string {
	switch spec := spec.(type) {
	case *ast.TypeSpec:
		if spec.Name.IsExported() && spec.Doc == nil && spec.Comment == nil {
			return spec.Name.Name
		}
	case *ast.ValueSpec:
		i := slices.IndexFunc(spec.Names, (*ast.Ident).IsExported)
		if i >= 0 && spec.Doc == nil && spec.Comment == nil {
			return spec.Names[i].Name
		}
	}
	return ""
}

// contracts are the packages whose doc.go is a page on what a caller may assume.
var contracts = []string{"internal/feed", "internal/journal", "internal/permission", "debate/verdict", "internal/engine"}

// TestContracts: such a page has 50 to 100 lines, so that it says enough and is read.
func TestContracts(t *testing.T) {
	for _, folder := range contracts {
		i := slices.IndexFunc(sources(t), func(s house.Source) bool { return s.Path == folder+"/doc.go" })
		if i < 0 {
			t.Errorf("%s has no doc.go", folder)
			continue
		}
		s := sources(t)[i]
		if s.File.Doc == nil || s.Span(s.File.Doc) < 50 || s.Lines() > 100 || len(s.File.Decls) > 0 {
			t.Errorf("%s has %d lines; it is to be a comment of 50 to 100", s.Path, s.Lines())
		}
	}
}

// TestInterfaces keeps the number of interfaces small: each needs two real implementations.
func TestInterfaces(t *testing.T) {
	var found []string
	for _, s := range sources(t) {
		if s.Test() {
			continue
		}
		for _, d := range s.File.Decls {
			g, ok := d.(*ast.GenDecl)
			if !ok {
				continue
			}
			for _, spec := range g.Specs {
				if ts, ok := spec.(*ast.TypeSpec); ok {
					if _, ok := ts.Type.(*ast.InterfaceType); ok {
						found = append(found, s.Path+" "+ts.Name.Name)
					}
				}
			}
		}
	}
	if len(found) > 8 {
		t.Errorf("%d interfaces, eight at most:\n%s", len(found), strings.Join(found, "\n"))
	}
}

// The limits of the house. What is above them today is listed with its number, which may only fall: whoever lowers it lowers the
// line here, too. go test -v -run TestHouse . prints all the counters.
const (
	mostMethods = 40  // of one type
	mostWhole   = 65  // of one type, with the types of its package that it embeds
	leastTold   = 12  // per cent of the lines that are comments
	mostExports = 30  // of one package
	mostColumns = 140 // of a line
	mostFuncs   = 12  // fields of one struct that are functions, with those of structs that it embeds
)

// tall are the types with more methods.
var tall = map[string]int{}

// large are the types with more methods than that in all.
var large = map[string]int{"internal/acp.teller": 82, "internal/store.Store": 75, "internal/tui/chatpage.Page": 72, "internal/acp.table": 69}

// wide are the packages that export more names. The data types of the verdict may.
var wide = map[string]int{
	"debate/verdict": 84,
}

// wired are the structs with more fields that are functions.
var wired = map[string]int{}

// TestLaws holds what there is to be one of: one fold of the record, one table of what all nouns have in common, one way out.
func TestLaws(t *testing.T) {
	files := product(t)
	for _, found := range slices.Concat(house.Folds(files), house.Verbs(files), house.Prints(files), house.Meanings(sources(t))) {
		t.Error(found)
	}
}

// product are the files of the program itself.
func product(t *testing.T) []house.Source {
	return slices.DeleteFunc(slices.Clone(sources(t)), func(s house.Source) bool { return s.Test() || slices.Contains(programs, s.Folder()) })
}

// TestHouse keeps the house from growing: no type, package or struct gets larger than the limit, or than it is today.
func TestHouse(t *testing.T) {
	c := house.Count(product(t), mostColumns)
	t.Logf("%d lines, %.1f %% of them comments; %d lines of more than %d columns", c.Lines, 100*float64(c.Comments)/float64(c.Lines), len(c.Long), mostColumns)
	if c.Comments*100 < c.Lines*leastTold {
		t.Errorf("less than %d %% of the lines are comments", leastTold)
	}
	for _, at := range c.Long {
		t.Errorf("%s is longer than %d columns", at, mostColumns)
	}
	all, up := 0, 0
	for _, name := range slices.SortedFunc(maps.Keys(c.Up), func(a, b string) int { return cmp.Compare(c.Up[b], c.Up[a]) }) {
		if all, up = all+c.Arrows[name], up+c.Up[name]; c.Up[name] > 40 {
			t.Logf("%-28s %4d arrows between files, %d of them up", name, c.Arrows[name], c.Up[name])
		}
	}
	t.Logf("%-28s %4d arrows between files, %d of them up", "all packages together", all, up)
	for _, rule := range []struct {
		what  string
		found map[string]int
		most  int
		today map[string]int
	}{{"methods", c.Methods, mostMethods, tall}, {"methods with what it embeds", c.Whole, mostWhole, large},
		{"exported names", c.Exports, mostExports, wide}, {"fields that are functions", c.Funcs, mostFuncs, wired}} {
		names := slices.SortedFunc(maps.Keys(rule.found), func(a, b string) int { return cmp.Compare(rule.found[b], rule.found[a]) })
		for i, name := range names {
			n, known := rule.found[name], rule.today[name]
			if i < 8 || n > rule.most {
				t.Logf("%-28s %4d %s", name, n, rule.what)
			}
			switch limit := max(rule.most, known); {
			case n > limit:
				t.Errorf("%s has %d %s, the limit is %d", name, n, rule.what, limit)
			case known > 0 && n < known:
				t.Errorf("%s has %d %s: lower the %d in arch_test.go, or take the line out", name, n, rule.what, known)
			}
		}
	}
}
