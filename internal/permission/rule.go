package permission

import (
	"cmp"
	"fmt"
	"maps"
	"net/url"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/bmatcuk/doublestar/v4"

	"github.com/socrates-cli/socrates/internal/permission/consent"
	"github.com/socrates-cli/socrates/internal/shell"
	"github.com/socrates-cli/socrates/internal/tool"
)

// subject is what rules are matched against.
type subject struct {
	tool          string
	text          string // what a person is shown
	argv          []string
	dir           string
	program       string      // the file that would be executed; empty: not known
	known         bool        // argv is what will be executed
	dependsOnMore bool        // its effect depends on more than argv: its input, or variables set for it
	inner         *innerFound // the commands inside argv; nil: not searched yet
	path          string
	url           string
	act           tool.Act
}

// Rule is a line of the settings: "VERDICT TOOL PATTERN". For bash the pattern is words; a last * matches any arguments and, if the rule
// denies or asks, may also end a word. For files it is a glob below the project; for fetch it is a host, or *.host.
type Rule struct {
	Verdict Verdict
	Tool    string
	Pattern string
	Project bool // from the project's own settings: it can only tighten
	words   []string
}

// String is the rule as a line of the settings.
func (r Rule) String() string {
	return strings.TrimSpace(string(r.Verdict) + " " + r.Tool + " " + r.Pattern)
}

// all reports whether the rule applies to everything its tool does.
func (r Rule) all() bool { return r.Pattern == "" || r.Pattern == "*" && !fileTools()[r.Tool] }

// IsOf reports whether the rule names a tool: by its name, or by a pattern of names.
func (r Rule) IsOf(name string) bool { return matchWord(r.Tool, name) }

// fileTools are the kinds of file access that rules can name.
var fileTools = wordSet("read write edit")

// ParseRule parses a rule. An error is a sentence for its author, with an example that works.
func ParseRule(line string) (Rule, error) {
	f := strings.Fields(line)
	if len(f) < 2 || weight[Verdict(f[0])] == 0 && Verdict(f[0]) != Allow {
		return Rule{}, fmt.Errorf("invalid rule %q: write allow, ask or deny, then bash, read, write, fetch or a tool, then a pattern; "+
			"example: allow bash go test *", line)
	}
	r := Rule{Verdict: Verdict(f[0]), Tool: f[1], Pattern: strings.Join(f[2:], " ")}
	switch {
	case r.Tool == "bash":
		script, err := shell.Parse(r.Pattern, shell.Context{Dir: "/"})
		if err != nil || len(script.Commands) != 1 || len(f) < 3 {
			return Rule{}, fmt.Errorf("%q: bash needs one command, for example: go test *", line)
		}
		r.words = f[2:]
		if last := f[len(f)-1]; r.Verdict != Allow && last != "*" && strings.HasSuffix(last, "*") {
			r.words = append(r.words, "*") // "deny bash rm*" means rm with its arguments
		}
	case (r.Tool == "fetch" || r.Tool == "registry") && !r.all() && !isHost(r.Pattern):
		return Rule{}, fmt.Errorf("%q: %s needs a host, or *.HOST for all its subdomains: %s", line, r.Tool, r.example(r.Pattern))
	case fileTools()[r.Tool] && !doublestar.ValidatePattern(r.Pattern):
		return Rule{}, fmt.Errorf("%q: %s is not a valid glob", line, r.Pattern)
	}
	return r, nil
}

// isHost reports whether a pattern can match: a host, *.host, either with a port.
func isHost(pattern string) bool {
	host, port, hasPort := strings.Cut(strings.TrimPrefix(pattern, "*."), ":")
	if number, err := strconv.Atoi(port); hasPort && (err != nil || number < 1 || number > 65535) {
		return false
	}
	return host != "" && !strings.ContainsAny(host, "*/?#@[]\\ ,") && !strings.HasPrefix(host, ".") && !strings.HasSuffix(host, ".") &&
		!strings.Contains(host, "..")
}

// example is a correct rule made from an address.
func (r Rule) example(address string) string {
	if !strings.Contains(address, "://") {
		address = "http://" + address
	}
	host := "example.com"
	if u, err := url.Parse(address); err == nil {
		if h := strings.Trim(strings.TrimPrefix(u.Host, "*"), "."); isHost(h) {
			host = h
		}
	}
	return fmt.Sprintf("%s %s %s or %s %s *.%s", r.Verdict, r.Tool, host, r.Verdict, r.Tool, host)
}

// ruled returns the rule that applies: a deny, else an ask, else an allow.
func (p Policy) ruled(s subject, r risk) (best Rule, found bool) {
	for _, rule := range p.Rules {
		if rule.Verdict == Allow && rule.Project {
			continue
		}
		if !p.matches(rule, s, r) {
			if r.kind == safe || r.kind == reads || !s.mayRun(rule) {
				continue
			}
			rule.Verdict = Ask // an unknown program may or may not run it
		}
		if !found || weight[rule.Verdict] > weight[best.Verdict] {
			best, found = rule, true
		}
	}
	return best, found
}

// matches reports whether a rule applies to a risk of a subject.
func (p Policy) matches(rule Rule, s subject, r risk) bool {
	file := r.kind == reads || r.kind == writes || r.kind == deletes
	switch {
	case rule.Tool == "bash":
		return len(s.argv) > 0 && s.runs(rule)
	case rule.Tool == "read":
		return r.kind == reads && p.globs(rule, s)
	case rule.Tool == "write" || rule.Tool == "edit":
		return file && r.kind != reads && p.globs(rule, s)
	case rule.Tool == "fetch":
		return s.url != "" && (rule.all() || hostMatches(rule.Pattern, s.url))
	case rule.Tool == "registry": // an allowing rule names the registry, a forbidding one any of its hosts
		if hosts := r.hosts(); rule.Verdict == Allow {
			return len(hosts) > 0 && rule.coversHost(hosts[0]) && allRegistries(p.Rules, extraHosts(hosts))
		}
		return slices.ContainsFunc(r.hosts(), rule.coversHost)
	}
	return rule.IsOf(s.tool) && (rule.Pattern == "" || rule.Pattern == "*" || file && p.globs(rule, s))
}

// runs reports whether a rule applies to a command. A forbidding rule also matches by the file that is executed,
// whatever its name; an allowing one matches only a bare name with known arguments.
func (s subject) runs(rule Rule) bool {
	argv := s.argv
	if rule.Verdict != Allow {
		if s.inner == nil {
			s.inner = innerOf(argv)
		}
		for i, inner := range s.inner.all {
			if rule.forbids(filepath.Base(inner[0]), inner[1:]) || s.program != "" && i == 0 &&
				rule.forbids(filepath.Base(shell.Real(s.program)), inner[1:]) {
				return true
			}
		}
		return !s.inner.whole // more than can be analysed: it may well be in there
	}
	return s.known && !strings.ContainsAny(argv[0], `/\`) && matchWords(rule.words, argv)
}

// mayRun reports whether a forbidding rule applies to what an unknown program may run.
func (s subject) mayRun(rule Rule) bool {
	return rule.Tool == "bash" && rule.Verdict == Deny && s.inner != nil && slices.ContainsFunc(s.inner.guessed, func(inner []string) bool {
		return rule.forbids(filepath.Base(inner[0]), inner[1:])
	})
}

// forbids matches a command against the words of a rule, also without the options before its subcommand: git -C . push is git push, and so
// is git-push.
func (r Rule) forbids(name string, args []string) bool {
	if matchWords(r.words, append([]string{name}, args...)) {
		return true
	}
	if len(r.words) < 2 || strings.HasPrefix(r.words[1], "-") {
		return false
	}
	if rest, ok := strings.CutPrefix(name, r.words[0]+"-"); ok && matchWords(r.words[1:], append([]string{rest}, args...)) {
		return true
	}
	if !matchWord(r.words[0], name) {
		return false
	}
	for _, from := range subcommandPlaces(args) {
		if matchWords(r.words[1:], args[from:]) {
			return true
		}
	}
	return false
}

// subcommandPlaces are the positions at which a program's subcommand may be, after options that may each have a value.
func subcommandPlaces(args []string) (out []int) {
	next := map[int]bool{0: true}
	for i, a := range args {
		switch {
		case !next[i]:
		case !strings.HasPrefix(a, "-") && !strings.HasPrefix(a, "+"):
			out = append(out, i)
		default:
			next[i+1] = true
			if !strings.Contains(a, "=") && i+1 < len(args) && !strings.HasPrefix(args[i+1], "-") {
				next[i+2] = true
			}
		}
	}
	return out
}

// consent is the level of consent of a rule that allows a command.
func (r Rule) consent(s subject) consent.Level {
	if len(r.words) > 0 && len(s.argv) > 0 && r.words[0] == s.argv[0] {
		return consent.Named
	}
	return consent.Unasked
}

// matchWords matches argv against the words of a pattern. A * matches within one argument; alone as the last word, it
// matches any number of arguments.
func matchWords(pattern, argv []string) bool {
	for i, w := range pattern {
		if w == "*" && i == len(pattern)-1 {
			return true
		}
		if i >= len(argv) || !matchWord(w, argv[i]) {
			return false
		}
	}
	return len(pattern) == len(argv)
}

// matchWord matches one word against a pattern with * and ?, which also match slashes: with path.Match alone they would not.
func matchWord(pattern, word string) bool {
	if !strings.ContainsAny(pattern, "*?") {
		return pattern == word
	}
	ok, err := path.Match(strings.ReplaceAll(pattern, "/", "\x00"), strings.ReplaceAll(word, "/", "\x00"))
	return ok && err == nil
}

// globs reports whether a rule's pattern matches the file of a subject: below the workspace, or anywhere if the pattern is absolute.
func (p Policy) globs(rule Rule, s subject) bool {
	rel, ok := within(p.Workspace, s.path)
	if filepath.IsAbs(rule.Pattern) {
		rel, ok = s.path, true
	}
	if !ok {
		return false
	}
	match, err := doublestar.Match(cmp.Or(rule.Pattern, "**"), filepath.ToSlash(rel))
	return match && err == nil
}

// hostOf is the host of an address, in lower case and without its port; empty if there is none that can be trusted:
// programs differ in how they read a user name before an @ and a backslash.
func hostOf(address string) string {
	u, err := url.Parse(address)
	if err != nil || u.User != nil || strings.ContainsAny(address, "\x00\r\n\\") {
		return ""
	}
	return strings.TrimSuffix(strings.ToLower(u.Hostname()), ".")
}

// hostMatches compares hosts label by label: a pattern is a host, with its port if that matters, or *.host for all below it.
func hostMatches(pattern, address string) bool {
	host := hostOf(address)
	want, port, hasPort := strings.Cut(strings.ToLower(pattern), ":")
	if host == "" || want == "" {
		return false
	}
	if u, err := url.Parse(address); err != nil || hasPort && u.Port() != port || u.Scheme != "https" && u.Scheme != "http" {
		return false
	}
	if rest, ok := strings.CutPrefix(want, "*."); ok {
		return strings.HasSuffix(host, "."+rest)
	}
	return host == want
}

// Grant is what a person allowed: exactly what was shown, where it was shown, and for as long as they chose. The zero
// value covers nothing.
type Grant struct {
	Tool  string   `json:"tool"`
	Argv  []string `json:"argv,omitempty"`
	Dir   string   `json:"dir,omitempty"`
	Path  string   `json:"path,omitempty"`
	Reads bool     `json:"reads,omitempty"` // Path may only be read
	URL   string   `json:"url,omitempty"`   // this page only
	Hosts []string `json:"hosts,omitempty"` // of a registry: package managers may fetch from there, and reach nothing else
	// Files are the project's files that the command executes, each with the hash of its content: other content was not granted.
	Files   map[string]string `json:"files,omitempty"`
	Text    string            `json:"text"` // what the person saw
	Once    bool              `json:"once,omitempty"`
	Scope   string            `json:"scope"` // once, session or project
	Given   time.Time         `json:"given"`
	Expires time.Time         `json:"expires,omitzero"`
}

// Same reports whether two grants cover the same, whatever their wording and time.
func (g Grant) Same(h Grant) bool {
	return g.Tool == h.Tool && slices.Equal(g.Argv, h.Argv) && g.Dir == h.Dir && g.Path == h.Path && g.URL == h.URL &&
		slices.Equal(g.Hosts, h.Hosts) && maps.Equal(g.Files, h.Files) && g.Expires.Equal(h.Expires)
}

// consent is the level of consent of a grant: of a command that may fetch from a registry, nobody has seen the words.
func (g Grant) consent() consent.Level {
	if len(g.Hosts) > 0 {
		return consent.Unasked
	}
	return consent.Asked
}

// String says how long the grant lasts and what it allows.
func (g Grant) String() string { return "granted for this " + g.Scope + ": " + g.Text }

// Remember makes the grant for a part that a person allowed; false if a grant could not describe it.
func (p Part) Remember(s string, now time.Time) (Grant, bool) {
	g := Grant{Tool: p.Tool, Text: p.Text, Scope: s, Once: s == "once", Given: now}
	switch {
	case len(p.Hosts) > 0 && !g.Once:
		g.Hosts, g.Text = p.Hosts, "packages from "+strings.Join(p.Hosts, ", ")
	case len(p.Act.Argv) > 0:
		g.Argv, g.Dir = p.Act.Argv, p.Act.Dir
		if !g.Once { // a script that was allowed once as a whole may change what it executes later
			g.Files = p.executes
		}
	case p.Act.Path != "":
		g.Path, g.Reads = p.Act.Path, p.Act.Effect == tool.Reads
	case p.Act.URL != "":
		g.URL = p.Act.URL
	default:
		return g, false
	}
	return g, g.Once || p.Lost == "" && !p.askEachTime
}

// Covers describes what a grant for a part would cover; empty: it can only be allowed once.
func (p Part) Covers() string {
	g, ok := p.Remember("session", time.Time{})
	switch {
	case !ok:
		return ""
	case len(g.Hosts) > 0:
		return "package managers fetching from " + strings.Join(g.Hosts, ", ") + ", and nothing else on the network"
	case len(g.Files) > 0:
		return "exactly this command in " + g.Dir + ", until " + strings.Join(slices.Sorted(maps.Keys(g.Files)), ", ") + " changes"
	case strings.HasPrefix(p.Tool, "mcp__"):
		return "exactly this call, with these arguments"
	case len(g.Argv) > 0:
		return "exactly this command in " + g.Dir
	case g.Reads:
		return "reading " + g.Path
	case g.Path != "":
		return "writing " + g.Path
	}
	return "this page only: " + g.URL + "; ends when untrusted text is read"
}

// granted finds a grant for exactly this. What could send a secret after strangers' text was read is allowed only by an answer to this
// very call, or by a grant for the registry to which the sandbox restricts it: what is fetched from there is such a text itself.
func (p Policy) granted(s subject, r risk) (Grant, bool) {
	for _, g := range p.Grants {
		if !g.Expires.IsZero() && time.Now().After(g.Expires) {
			continue
		}
		if (p.egress(r) && len(g.Hosts) == 0 || s.dependsOnMore) && !g.Once {
			continue
		}
		switch {
		case len(g.Hosts) > 0:
			hosts := r.hosts()
			if len(hosts) > 0 && !slices.ContainsFunc(hosts, func(h string) bool { return !slices.Contains(g.Hosts, h) }) {
				return g, true
			}
		case len(g.Argv) > 0:
			if len(s.argv) > 0 && s.known && slices.Equal(g.Argv, s.argv) && g.Dir == s.dir &&
				(g.Once || maps.Equal(g.Files, p.executed(s))) {
				return g, true
			}
		case g.Path != "":
			if s.path == g.Path && g.Tool == s.tool && (r.kind == reads) == g.Reads {
				return g, true
			}
		case g.URL != "":
			if s.url == g.URL && g.Tool == s.tool {
				return g, true
			}
		}
	}
	return Grant{}, false
}
