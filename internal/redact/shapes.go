package redact

// shape is what one kind of secret looks like: how it begins and what must follow.
type shape struct {
	name   string // what the placeholder says
	prefix string // at least three bytes
	fold   bool   // upper and lower case of prefix are the same
	apart  *set   // bytes it cannot follow; nil: it may begin anywhere
	find   func(*cursor) (secret, bool)
}

var (
	digits      = chars("0-9")
	letters     = chars("A-Za-z")
	word        = chars("A-Za-z0-9")
	hexadecimal = chars("0-9A-Fa-f")
	upperDigits = chars("A-Z0-9")
	wordDash    = chars("A-Za-z0-9_-")
	wordDot     = chars("A-Za-z0-9_.-")
	wordPath    = chars("A-Za-z0-9_/-")
	token68     = chars("A-Za-z0-9._~+/=-")
)

// judged is how many bytes of a secret are looked at to decide that it is one.
const judged = 64

// shapes in order of precedence among those that begin alike.
var shapes = concat(
	keys("anthropic-key", nil, run(wordDash, 16), "sk-ant-"),
	keys("openrouter-key", nil, run(wordDash, 16), "sk-or-v1-"),
	keys("openai-key", nil, run(wordDash, 16), "sk-proj-", "sk-svcacct-", "sk-admin-"),
	keys("api-key", word, random(wordDash, 20), "sk-"),
	keys("google-key", word, run(wordDash, 32), "AIza"),
	keys("google-oauth", word, run(wordDot, 24), "ya29.", "GOCSPX-"),
	keys("xai-key", word, random(wordDash, 20), "xai-"),
	keys("groq-key", word, run(word, 32), "gsk_"),
	keys("perplexity-key", word, run(word, 32), "pplx-"),
	keys("nvidia-key", word, run(wordDash, 32), "nvapi-"),
	keys("fireworks-key", word, random(word, 20), "fw_"),
	keys("cerebras-key", word, random(word, 24), "csk-"),
	keys("replicate-key", word, random(word, 24), "r8_"),
	keys("huggingface-token", word, run(word, 30), "hf_", "api_org_"),
	keys("tavily-key", word, random(wordDash, 20), "tvly-"),
	keys("langsmith-key", word, run(wordDash, 32), "lsv2_"),
	keys("github-token", word, run(word, 30), "ghp_", "gho_", "ghu_", "ghs_", "ghr_"),
	keys("github-token", nil, run(wordDash, 30), "github_pat_"),
	keys("gitlab-token", nil, run(wordDot, 20), "glpat-", "gldt-", "glrt-", "glcbt-", "glptt-"),
	keys("aws-key", word, exactly(upperDigits, 16), "AKIA", "ASIA", "ABIA", "ACCA"),
	keys("slack-token", word, random(wordDash, 16), "xoxa-", "xoxb-", "xoxc-", "xoxd-", "xoxe-", "xoxe.", "xoxp-", "xoxr-", "xoxs-", "xapp-"),
	keys("slack-webhook", nil, run(wordPath, 30), "hooks.slack.com/services/"),
	keys("npm-token", word, run(word, 30), "npm_"),
	keys("pypi-token", word, run(wordDash, 32), "pypi-"),
	keys("stripe-key", word, run(word, 16), "sk_live_", "sk_test_", "rk_live_", "rk_test_", "whsec_"),
	keys("sendgrid-key", word, random(wordDot, 40), "SG."),
	keys("docker-token", word, run(wordDash, 20), "dckr_pat_", "dckr_oat_"),
	keys("vault-token", word, run(wordDash, 24), "hvs.", "hvb."),
	keys("digitalocean-token", word, run(word, 32), "dop_v1_", "doo_v1_", "dor_v1_"),
	keys("databricks-token", word, run(hexadecimal, 32), "dapi"),
	keys("shopify-token", word, run(hexadecimal, 32), "shpat_", "shpca_", "shppa_", "shpss_"),
	keys("linear-key", word, run(word, 32), "lin_api_", "lin_oauth_"),
	keys("notion-token", word, run(word, 32), "ntn_"),
	keys("figma-token", word, run(wordDash, 32), "figd_"),
	keys("atlassian-token", word, run(token68, 32), "ATATT3x", "ATCTT3x"),
	keys("age-key", word, run(word, 32), "AGE-SECRET-KEY-1"),
	keys("jwt", wordDash, jwt, "eyJ"),
	keys("private-key", nil, privateKey, "-----BEGIN "),
	keys("url-password", nil, userinfo, "://"),
	folded("authorization", authorization, "authorization"),
	folded("bearer-token", bearer, "bearer "),
	folded("assigned-secret", assignment,
		"secret", "token", "password", "passwd", "passphrase", "api_key", "apikey", "api-key", "access_key", "accesskey",
		"private_key", "privatekey", "credential"),
)

// standard finds where shapes may begin.
var standard = func() *starts[shape] {
	s := &starts[shape]{}
	for _, h := range shapes {
		s.add(h.prefix, h)
	}
	return s
}()

func keys(name string, apart *set, find func(*cursor) (secret, bool), prefixes ...string) []shape {
	var out []shape
	for _, p := range prefixes {
		out = append(out, shape{name: name, prefix: p, apart: apart, find: find})
	}
	return out
}

// folded shapes begin with a word in any case, alone or as part of a longer name.
func folded(name string, find func(*cursor) (secret, bool), prefixes ...string) []shape {
	out := keys(name, nil, find, prefixes...)
	for i := range out {
		out[i].fold = true
	}
	return out
}

func concat(lists ...[]shape) []shape {
	var out []shape
	for _, l := range lists {
		out = append(out, l...)
	}
	return out
}

// run is a prefix with at least so many bytes of body, and goes on as long as body does.
func run(body *set, least int) func(*cursor) (secret, bool) {
	return func(c *cursor) (secret, bool) {
		n := len(c.run(body, judged))
		return secret{end: c.at, eat: body}, n >= least
	}
}

// random is run for prefixes that are also words: two digits tell a key from prose or a CSS class.
func random(body *set, least int) func(*cursor) (secret, bool) {
	return func(c *cursor) (secret, bool) {
		text := c.run(body, judged)
		return secret{end: c.at, eat: body}, len(text) >= least && digits.count(text) >= 2
	}
}

// exactly is a prefix with n bytes of body and no more.
func exactly(body *set, n int) func(*cursor) (secret, bool) {
	return func(c *cursor) (secret, bool) {
		got := len(c.run(body, n))
		return secret{end: c.at}, got == n && !body[c.peek()]
	}
}
