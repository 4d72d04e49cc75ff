package permission

import (
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/socrates-cli/socrates/internal/pattern"
	"github.com/socrates-cli/socrates/internal/shell"
)

// analyzer finds out what a command would do at its site, without running it. It reports risks, and knows neither modes nor rules.
type analyzer struct {
	site
	feed  [][]string // of the command: see shell.Command
	input *string    // as feed
	draft string     // as feed
	// For a script inside a script: its functions, and the variables with the process ids of its background commands and the names of its
	// temporary files.
	functions, children, temporary map[string]bool
	sourced                        bool // it sources a file of the project that may define functions
}

// deepest is how deeply commands may be nested (env nice timeout sh -c …).
const deepest = 8

// argv lists what a command would do. piped: it reads the output of another one; open: an argument is not known yet;
// program: the file that would be executed, empty if not known. Every wrapper, interpreter and script calls it again
// for what it would run, one level deeper.
func (v analyzer) argv(argv []string, piped, open bool, program string, depth int) []risk {
	if len(argv) == 0 || argv[0] == "" {
		return []risk{{unclear, "", "command name is empty"}}
	}
	if depth > deepest {
		return []risk{{unclear, "", "nested too deeply to analyse"}}
	}
	name := argv[0]
	if strings.ContainsAny(name, `/\`) {
		return v.byPath(argv, depth)
	}
	if program != "" {
		real := shell.Real(program)
		_, in := within(v.policy.Workspace, real)
		switch _, temp := within(v.policy.Temp, real); {
		case (in || temp) && !v.policy.Confined:
			return []risk{{runs, "", name + " would run " + real}}
		case in || temp:
			return v.byPath(append([]string{real}, argv[1:]...), depth)
		}
	}
	if len(argv) == 2 && argv[1] == "--version" && (slices.Contains(versionPrinters, name) || v.policy.Confined && wrappers[name] != nil) {
		return []risk{{kind: safe, why: "prints its version"}}
	}
	if len(argv) == 1 && name == "hostname" {
		return []risk{{kind: safe, why: "only reads"}}
	}
	c := command{argv, piped, open, depth}
	out := asRegistryFetch(v, c, v.byBareName(c))
	for _, r := range out {
		if r.kind == runs || r.kind == sends { // what is not analysed could send it anywhere
			return append(out, v.sensitive(argv)...)
		}
	}
	return out
}

// sensitive returns the arguments that name something that may contain secrets.
func (v analyzer) sensitive(argv []string) (out []risk) {
	for _, a := range argv[1:] {
		name := a[strings.LastIndexAny(a, "@=<")+1:]
		if len(name) < 4096 && !strings.Contains(name, "://") && secret(name) {
			out = append(out, risk{unclear, "", name + " may contain secrets"})
		}
	}
	return out
}

// byBareName judges a command by its bare name. The first table that has it decides: words that destroy data elsewhere,
// tool chains, commands with their own function, readers, writers, what cannot be undone, what sends. A name in none of
// them may do anything.
func (v analyzer) byBareName(c command) []risk {
	argv, name := c.argv, c.argv[0]
	if word := destroyingWord(argv); word != "" {
		out := []risk{{loses, "", name + " " + word + " deletes or overwrites data elsewhere"}}
		if why, ok := senders[name]; ok {
			out = append(out, risk{sends, "", why})
		}
		return out
	}
	if toolchainPrograms()[name] || taskRunners()[name] && byName[name] == nil && projectWords()[name] == nil {
		return toolchainProgram(v, c)
	}
	if projectWords()[name] != nil && byName[name] == nil {
		if out, ok := projectWork(v, c); ok {
			return out
		}
	}
	if see, ok := byName[name]; ok {
		return see(v, c)
	}
	if spec, ok := readers[name]; ok {
		return v.reads(spec, argv)
	}
	if spec, ok := writers[name]; ok {
		return v.writes(spec, argv)
	}
	if strings.HasPrefix(name, "mkfs.") {
		name = "mkfs"
	}
	if why, ok := irreversible[name]; ok {
		return []risk{{loses, "", why}}
	}
	if why, ok := senders[name]; ok {
		return []risk{{sends, "", why}}
	}
	if v.sourced {
		return runsProject(v, c, name)
	}
	return []risk{{runs, "", "effect of " + name + " is unknown"}}
}

// command is what the functions of special commands get: the words, whether it reads the output of another command,
// whether an argument is not known yet, and how deeply it is nested.
type command struct {
	argv       []string
	piped      bool
	unknownArg bool
	depth      int
}

func (c command) args() []string { return c.argv[1:] }

// byPath judges a command that is named by its path: it gets none of the trust of its bare name, but if that name
// destroys data or sends, it counts as doing so. A program of the project runs if there is a sandbox.
func (v analyzer) byPath(argv []string, depth int) []risk {
	name := filepath.Base(filepath.ToSlash(argv[0]))
	bare := append([]string{name}, argv[1:]...)
	out := []risk{{runs, "", argv[0] + " is run by its path; its effect is unknown"}}
	if v.policy.Confined && inProject(v, argv[0]) {
		if _, is := interpreters[name]; is || projectWords()[name] != nil {
			return v.argv(bare, false, false, "", depth+1)
		}
		out = projectProgram(v, argv)
	}
	for _, r := range v.argv(bare, false, false, "", depth+1) {
		if r.kind >= sends && r.kind != later || r.kind == deletes || (r.kind == writes || r.kind == reads) {
			out = append(out, r)
		}
	}
	return out
}

// steering are variables that make programs run or load something other than it seems.
var steering = wordSet(`
	IFS PATH CDPATH BASH_ENV ENV SHELLOPTS BASHOPTS PS4 PROMPT_COMMAND PAGER MANPAGER EDITOR VISUAL BROWSER SHELL LESSOPEN LESSCLOSE
	LESS PYTHONPATH PYTHONSTARTUP PYTHONHOME PYTHONINSPECT NODE_OPTIONS NODE_PATH PERL5OPT PERL5LIB PERLLIB RUBYOPT RUBYLIB
	JAVA_TOOL_OPTIONS _JAVA_OPTIONS CLASSPATH GOFLAGS GOPROXY GONOSUMDB GOTOOLCHAIN TAPE GZIP BZIP XZ_OPT XZ_DEFAULTS UNZIP ZIPOPT
	RSYNC_RSH CVS_RSH VIMINIT EXINIT FCEDIT MANPATH MANOPT MAGIC GOROOT GOENV GOTOOLDIR GOPATH GOBIN GOVCS GOINSECURE GOAUTH CGO_CFLAGS
	CGO_LDFLAGS LOCPATH NLSPATH HOSTALIASES GREP_OPTIONS MAVEN_OPTS GRADLE_OPTS JAVA_OPTS JDK_JAVA_OPTIONS ELECTRON_RUN_AS_NODE
	POSIXLY_CORRECT JQ_LIBRARY_PATH OLDPWD PWD OPTARG HOME TMPDIR XDG_CONFIG_HOME HISTFILE RIPGREP_CONFIG_PATH MAKEFLAGS CC CXX TERMINFO
	HTTP_PROXY HTTPS_PROXY ALL_PROXY NO_PROXY SSH_ASKPASS SSH_AUTH_SOCK OPENSSL_CONF CURL_HOME WGETRC
`)

var steeringPrefixes = []string{"LD_", "DYLD_", "GIT_", "BASH_FUNC_", "SOCRATES_", "npm_config_", "NPM_CONFIG_", "PIP_", "CARGO_", "RUSTC",
	"GLIBC_", "MALLOC_", "GCONV_",
	"TAR_", "SSH_", "DOCKER_", "KUBE", "AWS_", "SUDO_", "BAT_", "XDG_", "BUNDLE_", "GEM_", "AWK"}

// assignments judges the variables a command sets. Most are harmless; those that steer programs always need approval.
func (v analyzer) assignments(c shell.Command) []risk {
	var out []risk
	for _, a := range c.Assigns {
		if a.Name == "IFS" && len(c.Argv) > 0 && c.Argv[0] == "read" {
			continue // it only sets how read splits its line
		}
		folders := command{argv: append([]string{""}, strings.Split(a.Value, ":")...)}
		if v.policy.Confined && a.Known && searchPathVars()[a.Name] && outsideWord(v, folders) == "" {
			continue
		}
		if mild, ok := harmlessValues[a.Name]; v.policy.Confined && a.Known && ok && mild().MatchString(a.Value) {
			continue
		}
		if v.policy.Confined && a.Name == "PATH" && len(c.Argv) > 0 && strings.Contains(c.Argv[0], "/") && inProject(v, c.Argv[0]) {
			continue // the path of a program says which one runs
		}
		out = append(out, assignment(a.Name))
	}
	return out
}

// searchPathVars are variables with folders where interpreters, in their sandbox, look for what they load, or where compilers look for
// what they run.
var searchPathVars = wordSet("PYTHONPATH NODE_PATH RUBYLIB PERL5LIB CC CXX GOTOOLCHAIN CARGO_TERM_COLOR " +
	"CARGO_INCREMENTAL CARGO_TARGET_DIR BUNDLE_GEMFILE")

// harmlessValues match values of steering variables that only limit memory or time, set warnings or select parts of the project, and load
// or run nothing.
var harmlessValues = map[string]func() *regexp.Regexp{
	"NODE_OPTIONS": pattern.Of(`^(--(max-old-space-size|max-semi-space-size|stack-trace-limit|unhandled-rejections)=\w+|` +
		`--(no-warnings|no-deprecation|trace-warnings|trace-deprecation|enable-source-maps|experimental-(vm-modules|strip-types))| )+$`),
	"JAVA_TOOL_OPTIONS": javaMemory, "JAVA_OPTS": javaMemory, "MAVEN_OPTS": javaMemory, "GRADLE_OPTS": javaMemory,
	"GOFLAGS":   pattern.Of(`^(-(mod=(mod|vendor|readonly)|count=\d+|tags=[\w,.]+|p=\d+|timeout=\w+)|-(race|v|trimpath|short)| )+$`),
	"MAKEFLAGS": pattern.Of(`^(-[jks]+\d*|--(silent|keep-going|no-print-directory)| )+$`),
}

var javaMemory = pattern.Of(`^(-X(mx|ms|ss|mn)\d+[kKmMgG]?|-XX:MaxMetaspaceSize=\d+[kKmMgG]?|-ea|-Dfile\.encoding=[\w-]+|` +
	`-Dorg\.gradle\.daemon=\w+| )+$`)

// assignment is the risk of setting a variable, judged by its name alone.
func assignment(name string) risk {
	if !identifier().MatchString(name) {
		return risk{unclear, "", "variable set by " + name + " is only known at run time"}
	}
	name, index, one := strings.Cut(name, "[")
	if one && strings.Trim(index, "0123456789]+") != "" { // the index may contain a command
		return risk{unclear, "", "setting " + name + "[" + index + " changes how other commands behave"}
	}
	if steering()[strings.ToUpper(name)] {
		return risk{unclear, "", "setting " + name + " changes how other commands behave"}
	}
	for _, p := range steeringPrefixes {
		if strings.HasPrefix(name, p) || strings.HasPrefix(strings.ToUpper(name), p) {
			return risk{unclear, "", "setting " + name + " changes how other commands behave"}
		}
	}
	return risk{kind: safe, why: "sets a variable"}
}

// identifier matches the names of variables and of array elements.
var identifier = pattern.Of(`^[A-Za-z_][A-Za-z0-9_]*(\[.*)?\+?$`)

// versionPrinters are programs that only print their version when asked to.
var versionPrinters = strings.Fields(`
	gcc g++ cc c++ clang clang++ rustc rustup cargo cmake ninja meson make java javac mvn gradle kotlin dotnet docker
	podman kubectl helm terraform gh glab tsc eslint prettier pytest ruff mypy black poetry uv pip pip3 psql mysql
	redis-cli curl wget ffmpeg zip gzip tar golangci-lint buf protoc sed awk find sort git jq tmux less
`)

// isKnownCommand reports whether a name already has a meaning.
func isKnownCommand(name string) bool {
	for _, has := range []bool{byName[name] != nil, readers[name] != nil, irreversible[name] != "", senders[name] != "",
		writers[name] != nil,
		harmlessWith()[name]} {
		if has {
			return true
		}
	}
	return false
}
