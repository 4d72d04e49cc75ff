package permission

import (
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/socrates-cli/socrates/internal/pattern"
	"github.com/socrates-cli/socrates/internal/process"
)

// registry is where a kind of package manager fetches packages. If a sandbox restricts a program to a list of hosts, a command that only
// fetches from there is approved by registry and not by its words.
type registry struct {
	programs, words map[string]bool // words with which the programs only fetch; "": also without any
	hosts           []string        // the first is the registry's name for people
	files           []string        // of the project, or absolute, that may name other registries
	also, instead   func() *regexp.Regexp
	// options are those that take an address; true: it replaces the hosts.
	options map[string]bool
	short   bool // a/b is a repository on GitHub
}

// registries are the package registries whose hosts are known.
var registries = sync.OnceValue(func() []registry {
	return []registry{
		{programs: setOf("npm pnpm bun"), hosts: []string{"registry.npmjs.org"}, files: npmFiles, also: npmAlso, instead: npmInstead,
			words:   setOf("install i ci add update up upgrade fetch install-test it clean-install install-ci-test cit"),
			options: map[string]bool{"--registry": true}, short: true},
		{programs: setOf("yarn"), words: map[string]bool{"": true, "install": true, "add": true, "up": true, "upgrade": true},
			hosts: []string{"registry.yarnpkg.com", "registry.npmjs.org"}, files: npmFiles, also: npmAlso, instead: npmInstead,
			options: map[string]bool{"--registry": true}, short: true},
		{programs: setOf("pip pip3 uv poetry pdm pipenv"), words: setOf("install download wheel sync add lock update compile"),
			hosts: []string{"pypi.org", "files.pythonhosted.org"},
			files: []string{"/etc/pip.conf", ".venv/pip.conf", "pyproject.toml", "Pipfile", "uv.toml"},
			also: pattern.Of(`(?s)\[\[(?:tool\.(?:uv\.index|(?:poetry|pdm)\.source)|source|index)\]\][^\[]*?\burl\s*=\s*["']([^"']+)|` +
				`(?m)^[ \t]*(?:extra-index-url|find-links)[ \t]*=[ \t]*(https?://\S+)`),
			instead: pattern.Of(`(?m)^[ \t]*index-url[ \t]*=[ \t]*["']?([^\s"']+)`),
			options: map[string]bool{"--index-url": true, "-i": true, "--default-index": true, "--extra-index-url": false, "--index": false,
				"--find-links": false, "-f": false}},
		{programs: setOf("cargo"), words: setOf("fetch add update install generate-lockfile vendor"),
			hosts: []string{"crates.io", "index.crates.io", "static.crates.io"}, files: []string{".cargo/config.toml", ".cargo/config"},
			also: pattern.Of(`(?m)^[ \t]*(?:registry|index)[ \t]*=[ \t]*["'](?:sparse\+)?(https?://[^"']+)`)},
		{programs: setOf("bundle gem"), words: setOf("install update add lock fetch"),
			hosts: []string{"rubygems.org", "index.rubygems.org"},
			files: []string{"Gemfile"}, instead: pattern.Of(`(?m)^[ \t]*source[ \t(]+["'](https?://[^"']+)`),
			options: map[string]bool{"--source": true, "-s": true}},
		{programs: setOf("composer"), words: setOf("install update require"),
			hosts: []string{"repo.packagist.org", "packagist.org", "api.github.com", "codeload.github.com"},
			files: []string{"composer.json"},
			also:  pattern.Of(`"type"\s*:\s*"composer"[^}]*?"url"\s*:\s*"(https?://[^"]+)"`)},
		{programs: setOf("dotnet"), words: setOf("restore add"), hosts: []string{"api.nuget.org"},
			files: []string{"nuget.config", "NuGet.Config", "NuGet.config"}, also: pattern.Of(`<add\s[^>]*?value="(https?://[^"]+)"`),
			options: map[string]bool{"--source": true, "-s": true}},
		{programs: setOf("mix"), words: setOf("deps.get deps.update local.hex"),
			hosts: []string{"hex.pm", "repo.hex.pm", "builds.hex.pm"}},
		{programs: setOf("dart flutter"), words: setOf("pub"), hosts: []string{"pub.dev"}},
		{programs: setOf("mvn mvnw"), words: setOf("dependency:go-offline dependency:resolve dependency:tree dependency:sources"),
			hosts: []string{"repo.maven.apache.org"}},
	}
})

var (
	npmFiles   = []string{".npmrc", ".yarnrc.yml", "/etc/npmrc", "/usr/etc/npmrc", "/usr/local/etc/npmrc"}
	npmAlso    = pattern.Of(`(?m)^[ \t]*@[^:\s]+:registry[ \t]*=[ \t]*["']?([^\s"']+)`)
	npmInstead = pattern.Of(`(?m)^[ \t]*(?:registry[ \t]*=|npmRegistryServer:)[ \t]*["']?([^\s"']+)`)
)

// downloads is the phrase for a command that fetches from a registry, followed by the names of the registry and of others.
const downloads = " downloads packages from "

// asRegistryFetch replaces the risks of a command by one with its hosts, if all it does is fetch packages from a registry.
func asRegistryFetch(v analyzer, c command, all []risk) []risk {
	if !v.policy.Reaches || c.unknownArg || slices.ContainsFunc(all, func(r risk) bool { return r.kind != sends }) || len(all) == 0 {
		return all
	}
	what, hosts := v.registryOf(c)
	if len(hosts) == 0 {
		return all
	}
	named := append(hosts[:1:1], extraHosts(hosts)...)
	return []risk{{sends, strings.Join(hosts, " "), what + downloads + strings.Join(named, ", ")}}
}

// extraHosts are the hosts after the first that are no package manager's default: a file of the project, or the command, names them.
func extraHosts(hosts []string) (out []string) {
	for _, h := range hosts[min(1, len(hosts)):] {
		known := slices.ContainsFunc(registries(), func(r registry) bool { return slices.Contains(r.hosts, h) })
		if !known && !slices.Contains(goHosts, h) {
			out = append(out, h)
		}
	}
	return out
}

// goHosts are the default hosts of go.
var goHosts = []string{"proxy.golang.org", "sum.golang.org"}

// coversHost reports whether a rule about registries applies to a host.
func (rule Rule) coversHost(host string) bool {
	return rule.all() || hostMatches(rule.Pattern, "https://"+host)
}

// allRegistries reports whether rules allow each of these hosts as a registry.
func allRegistries(rules []Rule, hosts []string) bool {
	return !slices.ContainsFunc(hosts, func(h string) bool {
		return !slices.ContainsFunc(rules, func(r Rule) bool {
			return r.Tool == "registry" && r.Verdict == Allow && !r.Project && r.coversHost(h)
		})
	})
}

// registryOf returns what a command tells its package manager to do, and the hosts from which that fetches; none: it is not known to do
// only that.
func (v analyzer) registryOf(c command) (what string, hosts []string) {
	name := base(c.argv[0])
	at, sub := subcommand(c.args())
	rest := c.args()[min(at+1, len(c.args())):]
	what = strings.TrimSpace(name + " " + sub)
	if name == "go" {
		return what, goProxies(v, c.args())
	}
	if sub == "pip" && name == "uv" && len(rest) > 0 {
		what, sub, rest = what+" "+rest[0], rest[0], rest[1:]
	}
	i := slices.IndexFunc(registries(), func(r registry) bool { return r.programs[name] && r.words[sub] })
	if i < 0 {
		return "", nil
	}
	r := registries()[i]
	if hosts = registryHosts(v, r); hosts == nil {
		return "", nil
	}
	hosts, ok := r.withOptions(append(slices.Clone(c.args()[:at]), rest...), hosts)
	if !ok {
		return "", nil
	}
	return what, hosts
}

// registryHosts returns the hosts of a registry, with those that files of the project name. Nil: one of them cannot be determined.
func registryHosts(v analyzer, r registry) []string {
	var also, instead []string
	known := true
	find := func(in func() *regexp.Regexp, text string, out *[]string) {
		if in == nil {
			return
		}
		for _, found := range in().FindAllStringSubmatch(text, 100) {
			host, ok := hostIn(strings.Join(found[1:], ""))
			known = known && ok
			*out = append(*out, host)
		}
	}
	look := func(path string) {
		if text, err := os.ReadFile(path); err == nil && len(text) < 1<<20 {
			find(r.also, string(text), &also)
			find(r.instead, string(text), &instead)
		}
	}
	for _, file := range r.files {
		if filepath.IsAbs(file) {
			look(file)
		}
	}
	upwards(v, func(dir string) bool {
		for _, file := range r.files {
			if !filepath.IsAbs(file) {
				look(filepath.Join(dir, filepath.FromSlash(file)))
			}
		}
		return false
	})
	if !known {
		return nil
	}
	return firstOf(instead, r.hosts, also)
}

// withOptions returns the hosts with those that options name. ok is false if a word names a package elsewhere.
func (r registry) withOptions(args, hosts []string) (out []string, ok bool) {
	var also, instead []string
	for i := 0; i < len(args); i++ {
		name, value, given := strings.Cut(args[i], "=")
		replaces, takes := r.options[name]
		if !takes {
			if namesLocation(args[i]) || r.short && repository().MatchString(args[i]) {
				return nil, false
			}
			continue
		}
		if i++; given {
			i--
		} else if i < len(args) {
			value = args[i]
		}
		host, known := hostIn(value)
		switch {
		case !known && strings.Contains(value, "://"):
			return nil, false
		case known && replaces:
			instead = append(instead, host)
		case known: // otherwise it is a folder
			also = append(also, host)
		}
	}
	return firstOf(instead, hosts, also), true
}

// namesLocation reports whether a word names a package by its location, and not by its name in a registry.
func namesLocation(word string) bool {
	return strings.Contains(word, "://") || git().MatchString(word)
}

var (
	// git matches a repository, even after the name that a package gets.
	git = pattern.Of(`(?:^|@|=)(?:git\+|git@|github:|gitlab:|bitbucket:|gist:)`)
	// repository matches a repository's short name, which JavaScript package managers look up on GitHub.
	repository = pattern.Of(`^[A-Za-z0-9][A-Za-z0-9_-]*/[A-Za-z0-9._-]+(?:#.*)?$`)
)

// goProxies returns the hosts from which go fetches modules and their checksums; none: the command does more, or fetches from
// repositories.
func goProxies(v analyzer, args []string) []string {
	fetch := len(args) > 0 && (args[0] == "get" || args[0] == "install") ||
		len(args) > 1 && args[0] == "mod" && slices.Contains([]string{"download", "tidy", "vendor", "verify"}, args[1])
	if !fetch {
		return nil
	}
	says := func(name string) string { return process.GoSays(os.Getenv, v.policy.Home, name) }
	var hosts []string
	proxies := says("GOPROXY")
	if proxies == "" {
		proxies = "https://proxy.golang.org"
	}
	for proxy := range strings.FieldsFuncSeq(proxies, func(r rune) bool { return r == ',' || r == '|' }) {
		if host, ok := hostIn(strings.TrimSpace(proxy)); ok {
			hosts = append(hosts, host)
		}
	}
	switch sums := strings.Fields(says("GOSUMDB")); {
	case len(hosts) == 0 || len(sums) > 0 && sums[0] == "off":
	case len(sums) > 1: // the key of a database, and its address
		if host, ok := hostIn(sums[1]); ok {
			hosts = append(hosts, host)
		}
	case len(sums) == 1:
		name, _, _ := strings.Cut(sums[0], "+")
		hosts = append(hosts, name)
	default:
		hosts = append(hosts, "sum.golang.org")
	}
	return firstOf(hosts, nil, nil)
}

// hostIn is the host of an address, with its port unless that is the default one of HTTPS.
func hostIn(address string) (host string, ok bool) {
	u, err := url.Parse(address)
	if err != nil || u.Hostname() == "" || u.Scheme != "https" && u.Scheme != "http" || strings.ContainsAny(address, "\\${}") {
		return "", false
	}
	host = strings.TrimSuffix(strings.ToLower(u.Hostname()), ".")
	switch port := u.Port(); {
	case port != "" && !(port == "443" && u.Scheme == "https"):
		host += ":" + port
	case u.Scheme == "http":
		host += ":80"
	}
	return host, isHost(host)
}

// RegistryRules returns the rules that would allow what was refused for a reason; none: the reason is about no registry.
func RegistryRules(reason string) (rules []string) {
	_, hosts, ok := strings.Cut(reason, downloads)
	if hosts, _, _ = strings.Cut(hosts, ";"); !ok {
		return nil
	}
	for host := range strings.SplitSeq(hosts, ", ") {
		rules = append(rules, "allow registry "+host)
	}
	return rules
}

// firstOf returns the names of the first list, or of the second if that is empty, and of the third, each once.
func firstOf(first, second, third []string) (out []string) {
	if len(first) == 0 {
		first = second
	}
	for _, name := range slices.Concat(first, third) {
		if !slices.Contains(out, name) {
			out = append(out, name)
		}
	}
	return out
}

// hosts are the hosts of the registry that a risk fetches from; none: it sends elsewhere, or not at all.
func (r risk) hosts() []string {
	if r.kind != sends {
		return nil
	}
	return strings.Fields(r.path)
}

// registryRule is the rule that lets package managers fetch from a risk's registry. It applies even after strangers' text was read: it
// names the destination, and the sandbox enforces it.
func registryRule(p Policy, s subject, r risk) (Rule, bool) {
	for _, rule := range p.Rules {
		if rule.Tool == "registry" && rule.Verdict == Allow && !rule.Project && p.matches(rule, s, r) {
			return rule, true
		}
	}
	return Rule{}, false
}

// reachableHosts are the hosts that an allowed command is restricted to; none: it may reach all. A command that a rule allows by its
// words, or the mode by itself, was never approved by registry. Registries that rules name are open to every package manager.
func (p Policy) reachableHosts(argv []string, dir string, r risk) []string {
	hosts := r.hosts()
	if len(hosts) == 0 || p.byMode(r.kind, outside) == Allow {
		return nil
	}
	rule, found := p.ruled(subject{tool: "bash", argv: argv, dir: dir, known: true}, r)
	if found && rule.Verdict == Allow && rule.Tool == "bash" && !p.Tainted {
		return nil
	}
	for _, rule := range p.Rules {
		named := slices.ContainsFunc(hosts, func(h string) bool { return hostMatches(rule.Pattern, "https://"+h) })
		if rule.Tool == "registry" && rule.Verdict == Allow && !rule.Project && !rule.all() && !named {
			hosts = append(hosts, rule.Pattern)
		}
	}
	return hosts
}
