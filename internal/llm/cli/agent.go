package cli

import (
	"errors"
	"net/url"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"unicode"

	"github.com/socrates-cli/socrates/internal/llm"
	"github.com/socrates-cli/socrates/internal/llm/catalogue"
)

// Agent is any program that speaks the Agent Client Protocol on its pipes when started by argv, which must not be
// empty. Its name is the command's; its lineage is unknown, so two of the same name count as one. It sees the
// variables that begin with its name, those of the program it is built on and the usual keys of model vendors.
// Without leave to work it may only read in its folder; what it does without asking, only the sandbox limits.
func Agent(argv []string) Program {
	name := agentName(argv[0])
	// The prefix of its own variables is its name in upper case: my_agent's are MY_AGENT_*.
	own := strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return unicode.ToUpper(r)
		}
		return '_'
	}, name) + "_*"
	return Program{
		Name: name, Lineage: name, bin: argv[0], asks: true,
		launch: func(Options, llm.Request) (args, env []string) { return slices.Clone(argv[1:]), nil },
		sees: func(o Options, env environ) func(string) bool {
			base := func(string) bool { return false }
			if p, ok := builtOn(argv); ok {
				base = p.sees(o, env)
			}
			variables, _ := catalogued()
			return func(v string) bool {
				return matches(v, []string{own}) || matches(v, vendorKeys) || matches(v, vendorEndpoints) ||
					slices.Contains(variables, v) || base(v)
			}
		},
		prepare: func(h *home, o Options, _ llm.Request) ([]string, error) {
			if p, ok := builtOn(argv); ok && p.lodge != nil && o.Hold != nil {
				if _, prepare := p.lodge(environment().with(o.Env), o); prepare != nil {
					return prepare(h)
				}
			}
			return nil, nil
		},
		reach:    func(env environ, o Options) reach { return agentReach(argv, name, env, o) },
		speak:    speakACP(name, acpManner{}),
		signedIn: func(environ) (SignedIn, string) { return Unknown, "login state unknown" },
	}
}

// vendorKeys are the variables with the keys of vendors, for programs that serve models of many.
var vendorKeys = []string{"ANTHROPIC_API_KEY", "OPENAI_API_KEY", "OPENAI_BASE_URL", "GEMINI_API_KEY", "GOOGLE_API_KEY",
	"GOOGLE_GENERATIVE_AI_API_KEY", "XAI_API_KEY", "OPENROUTER_API_KEY", "DEEPSEEK_API_KEY", "MISTRAL_API_KEY", "GROQ_API_KEY",
	"MOONSHOT_API_KEY", "ZHIPU_API_KEY", "DASHSCOPE_API_KEY"}

// vendorEndpoints are the variables that direct such programs to a gateway.
var vendorEndpoints = []string{"ANTHROPIC_BASE_URL", "ANTHROPIC_AUTH_TOKEN", "ANTHROPIC_CUSTOM_HEADERS", "GOOGLE_GEMINI_BASE_URL",
	"GEMINI_BASE_URL",
	"GOOGLE_VERTEX_BASE_URL", "OPENAI_API_BASE", "OPENAI_HOST", "XAI_BASE_URL", "OPENROUTER_BASE_URL", "DEEPSEEK_BASE_URL",
	"MISTRAL_BASE_URL",
	"GROQ_BASE_URL", "MOONSHOT_BASE_URL", "DASHSCOPE_BASE_URL", "OLLAMA_HOST", "LITELLM_HOST", "AZURE_OPENAI_ENDPOINT"}

// catalogued returns the variables and hosts of the vendors in the catalogue, except clouds and this machine. Reading
// it takes a millisecond, so only code that starts an agent calls it.
var catalogued = sync.OnceValues(func() (variables, hosts []string) {
	c, err := catalogue.Load(nil)
	if err != nil {
		panic(err) // our own file is wrong
	}
	for _, v := range c.Vendors() {
		if at, err := url.Parse(v.BaseURL); err == nil && !v.Cloud() && !v.Local {
			variables, hosts = slices.Concat(variables, v.KeyEnv, v.BaseURLEnv), append(hosts, at.Hostname())
		}
	}
	return variables, hosts
})

// builtOn returns the program that an agent's command names, as in claude-agent-acp or npx @x/codex-acp. It looks
// only at the words of the command; the first that names a program counts.
func builtOn(argv []string) (Program, bool) {
	for _, word := range argv {
		w := agentName(word)
		for _, p := range Programs {
			if w == p.Name || strings.HasPrefix(w, p.Name+"-") || strings.HasPrefix(w, p.Name+"@") {
				return p, true
			}
		}
	}
	return Program{}, false
}

// agentReach returns the reach of the program the agent is built on; else the reach of one which serves all vendors.
// An unknown agent may write the folders that bear its name.
//
// It must be able to read whatever the command names by an absolute path.
func agentReach(argv []string, name string, env environ, o Options) reach {
	_, hosts := catalogued()
	r := reach{hosts: slices.Concat(vendorHosts, hosts)}
	p, known := builtOn(argv)
	lodged := p.lodge != nil && o.Hold != nil
	switch {
	case !known:
	case lodged:
		r, _ = p.lodge(env, o)
	case p.reach != nil:
		r = p.reach(env, o)
		r.state = append(r.state, atHome("."+p.Name)) // created if missing, as the program would
	}
	for _, word := range argv[1:] { // for example an interpreter's script
		if filepath.IsAbs(word) && exists(word) {
			r.reads = append(r.reads, word)
		}
	}
	for _, folder := range append(env.folders(name), atHome("."+name)) {
		if !lodged && exists(folder) {
			r.state = append(r.state, folder)
		}
	}
	return r
}

// agentName returns the command's base name without the ending of a program or script.
func agentName(command string) string {
	name := command[strings.LastIndexAny(command, `/\`)+1:]
	switch ext := filepath.Ext(name); strings.ToLower(ext) {
	case ".exe", ".cmd", ".bat", ".sh", ".js", ".mjs", ".py":
		name = strings.TrimSuffix(name, ext)
	}
	return name
}

// AgentExample is an example of an agent's command line.
const AgentExample = "goose acp"

// Split cuts a command line into words as a shell would: at blanks outside quotes. A backslash escapes only a blank,
// a quote or a backslash, so Windows paths stay whole; nothing else is special. It is an error if there is no word or
// a quote is not closed.
func Split(line string) ([]string, error) {
	var words []string
	var word strings.Builder
	quote, begun := rune(0), false
	runes := []rune(line)
	for i := 0; i < len(runes); i++ {
		r := runes[i]
		switch {
		case r == '\\' && quote != '\'' && i+1 < len(runes) && strings.ContainsRune(` "'\`, runes[i+1]):
			i++
			word.WriteRune(runes[i])
			begun = true
		case quote != 0 && r == quote:
			quote = 0
		case quote != 0:
			word.WriteRune(r)
		case r == '"' || r == '\'':
			quote, begun = r, true
		case unicode.IsSpace(r):
			if begun {
				words = append(words, word.String())
			}
			word.Reset()
			begun = false
		default:
			word.WriteRune(r)
			begun = true
		}
	}
	if begun {
		words = append(words, word.String())
	}
	switch {
	case quote != 0:
		return nil, errors.New("a quote is not closed")
	case len(words) == 0 || words[0] == "":
		return nil, errors.New("the command is missing")
	}
	return words, nil
}
