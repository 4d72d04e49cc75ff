package cli

import (
	"cmp"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/socrates-cli/socrates/internal/egress"
	"github.com/socrates-cli/socrates/internal/pattern"
)

// vendorHosts are the hosts of model vendors for programs that serve many, as far as such programs know them. As of
// November 2026.
var vendorHosts = []string{
	"api.anthropic.com", "platform.claude.com", "api.openai.com", "auth.openai.com", "chatgpt.com", "generativelanguage.googleapis.com",
	"oauth2.googleapis.com", "*.aiplatform.googleapis.com", "aiplatform.googleapis.com", "api.x.ai", "openrouter.ai", "api.deepseek.com",
	"api.mistral.ai", "api.groq.com", "api.cerebras.ai", "api.moonshot.ai", "api.moonshot.cn", "api.kimi.com", "api.z.ai",
	"open.bigmodel.cn",
	"dashscope.aliyuncs.com", "dashscope-intl.aliyuncs.com", "api.minimax.io", "api.minimaxi.com", "api.together.xyz", "api.fireworks.ai",
	"router.huggingface.co", "ai-gateway.vercel.sh", "*.openai.azure.com", "github.com", "api.github.com", "*.githubcopilot.com",
}

// amazon adds what a program needs to use models of Amazon's cloud.
func (r *reach) amazon(env environ) {
	for _, region := range []string{env["AWS_REGION"], env["AWS_DEFAULT_REGION"], "us-east-1"} {
		if region != "" {
			for _, service := range []string{"bedrock-runtime", "bedrock", "sts", "oidc", "portal.sso"} {
				r.hosts = append(r.hosts, service+"."+region+".amazonaws.com")
			}
		}
	}
	r.hosts = append(r.hosts, "sts.amazonaws.com")
	r.reads = append(r.reads, atHome(".aws"))
}

// google adds what a program needs to use models of Google's cloud.
func (r *reach) google(env environ) {
	for _, region := range []string{env["GOOGLE_CLOUD_LOCATION"], env["CLOUD_ML_REGION"]} {
		if region != "" && region != "global" {
			r.hosts = append(r.hosts, region+"-aiplatform.googleapis.com")
		}
	}
	r.hosts = append(r.hosts, "aiplatform.googleapis.com", "oauth2.googleapis.com", "sts.googleapis.com", "iamcredentials.googleapis.com")
	if env["GOOGLE_GENAI_USE_VERTEXAI"] != "" || env["CLAUDE_CODE_USE_VERTEX"] != "" {
		r.reads = append(r.reads, atHome(".config/gcloud"))
		if file := env["GOOGLE_APPLICATION_CREDENTIALS"]; file != "" {
			r.reads = append(r.reads, file)
		}
	}
}

// folders returns where a program called name keeps its state by convention.
func (env environ) folders(name string) (out []string) {
	for variable, usual := range map[string]string{"XDG_CONFIG_HOME": ".config", "XDG_DATA_HOME": ".local/share",
		"XDG_STATE_HOME": ".local/state", "XDG_CACHE_HOME": ".cache"} {
		out = append(out, filepath.Join(cmp.Or(env[variable], atHome(usual)), name))
	}
	slices.Sort(out)
	return out
}

// atHome returns a path below the person's home.
func atHome(name string) string {
	home, _ := os.UserHomeDir()
	return filepath.Join(home, filepath.FromSlash(name))
}

// endpointVariable matches variables that direct a program to another endpoint than its vendor's; endpointKey finds
// the same in settings of any language.
var (
	endpointVariable = pattern.Of(`(?i)(_URL|_URI|_BASE|_ENDPOINT|_HOST|_ISSUER)$`)
	endpointKey      = pattern.Of(`(?i)["']?[a-z_]*(?:base_?url|api_?base|endpoint|base_?uri|issuer|token_?url|["']url)["']?\s*` +
		`[=:]\s*["'](https?://[^"'\s]+)["']`)
)

// endpoints returns the hosts of the endpoints that variables and settings files name. It prefers too many: an unused
// host costs nothing, a missing one leaves the program mute. Whoever can write these settings can already lead the
// program elsewhere.
func endpoints(env, files []string) (hosts []string) {
	add := func(text string) {
		if h := hostOf(text); h != "" && !slices.Contains(hosts, h) {
			hosts = append(hosts, h)
		}
	}
	scan := func(text string) {
		for _, found := range endpointKey().FindAllStringSubmatch(text, -1) {
			add(found[1])
		}
	}
	for _, v := range env {
		name, value, _ := strings.Cut(v, "=")
		if endpointVariable().MatchString(name) && !isProxy(v) {
			add(value)
		} else {
			scan(value)
		}
	}
	for _, file := range files {
		text, _ := os.ReadFile(file) // there may be none
		scan(string(text))
	}
	return hosts
}

// hostOf returns the host and port of an endpoint, empty if it names none. Without a scheme it must have a dot or a
// port, since many variables of such names hold a word.
func hostOf(text string) string {
	if !strings.Contains(text, "://") {
		if egress.Check(text) != nil || !strings.ContainsAny(text, ".:") {
			return ""
		}
		text = "https://" + text
	}
	u, err := url.Parse(text)
	if err != nil || u.Hostname() == "" {
		return ""
	}
	port := u.Port()
	switch {
	case port != "":
	case u.Scheme == "http" || u.Scheme == "ws":
		port = "80"
	default:
		port = "443"
	}
	h := net.JoinHostPort(u.Hostname(), port)
	if egress.Check(h) != nil {
		return ""
	}
	return h
}
