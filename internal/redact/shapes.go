package redact

import (
	"slices"
	"sync"
)

// shape describes one kind of secret: its prefix and what must follow.
type shape struct {
	name   string // the name in the placeholder
	prefix string // at least three bytes
	fold   bool   // prefix matches in upper and lower case
	after  *set   // bytes it cannot follow; nil: it may begin anywhere
	find   func(*cursor) (secret, bool)

	// For a shape within base64: the shape itself, its offset in a group of three bytes, and how many letters of that group precede
	// prefix.
	plain         *shape
	shift, letter int
}

var (
	digits      = chars("0-9")
	letters     = chars("A-Za-z")
	word        = chars("A-Za-z0-9")
	hexadecimal = chars("0-9A-Fa-f")
	upperDigits = chars("A-Z0-9")
	wordDash    = chars("A-Za-z0-9_-")
	wordUnder   = chars("A-Za-z0-9_")
	wordDot     = chars("A-Za-z0-9_.-")
	wordPath    = chars("A-Za-z0-9_/-")
	wordTilde   = chars("A-Za-z0-9_~.-")
	coding      = chars("A-Za-z0-9+/")
	token68     = chars("A-Za-z0-9._~+/=-")
)

// judged is how many bytes of a secret are checked to decide that it is one. What follows belongs to it unchecked, as
// long as it has the same kind of letters.
const judged = 64

// vendors are the tokens recognized by their prefix. Here are the minimum length and the letters of the rest; shapes_test.go has each in
// full. Tokens without a prefix are found by the name they are assigned to.
var vendors = sync.OnceValue(func() []shape {
	return slices.Concat(
		// Models.
		keys("anthropic-key", nil, run(wordDash, 16), "sk-ant-"),
		keys("openrouter-key", nil, run(wordDash, 16), "sk-or-v1-"),
		keys("openai-key", nil, run(wordDash, 16), "sk-proj-", "sk-svcacct-", "sk-admin-", "sk-None-"),
		keys("langfuse-key", nil, run(wordDash, 32), "sk-lf-"),
		keys("api-key", word, random(wordDash, 20), "sk-"),
		keys("google-key", word, run(wordDash, 32), "AIza"),
		keys("google-key", word, run(wordDash, 30), "AQ.A"),
		keys("google-oauth", word, run(wordDot, 24), "ya29.", "GOCSPX-"),
		keys("google-oauth", word, run(wordDash, 40), "1//0"),
		keys("xai-key", word, random(wordDash, 20), "xai-"),
		keys("groq-key", word, run(word, 32), "gsk_"),
		keys("perplexity-key", word, run(word, 32), "pplx-"),
		keys("nvidia-key", word, run(wordDash, 32), "nvapi-"),
		keys("fireworks-key", word, random(word, 20), "fw_"),
		keys("together-key", word, run(wordDash, 32), "tgp_v1_"),
		keys("cerebras-key", word, random(word, 24), "csk-"),
		keys("replicate-key", word, random(word, 24), "r8_"),
		keys("huggingface-token", word, run(word, 30), "hf_", "api_org_"),
		keys("voyage-key", word, random(wordDash, 40), "pa-"),
		keys("jina-key", word, run(wordDash, 40), "jina_"),
		keys("elevenlabs-key", wordUnder, exactly(hexadecimal, 48), "sk_"),
		keys("pinecone-key", word, run(wordUnder, 40), "pcsk_"),
		keys("tavily-key", word, random(wordDash, 20), "tvly-"),
		keys("firecrawl-key", word, run(hexadecimal, 32), "fc-"),
		keys("e2b-key", word, run(hexadecimal, 32), "e2b_"),
		keys("langsmith-key", word, run(wordDash, 32), "lsv2_"),
		keys("runpod-key", word, run(word, 32), "rpa_"),
		keys("wandb-key", nil, run(wordUnder, 32), "db_v1_"),
		keys("bedrock-key", word, run(token68, 40), "bedrock-api-key-", "ABSKQmVkcm9ja"),
		// Code, packages, builds.
		keys("github-token", word, run(word, 30), "ghp_", "gho_", "ghu_", "ghs_", "ghr_"),
		keys("github-token", nil, run(wordDash, 30), "github_pat_"),
		keys("gitlab-token", nil, run(wordDot, 20), "glpat-", "gldt-", "glrt-", "glrtr-", "glcbt-", "glptt-", "glft-", "glimt-", "glagent-",
			"gloas-", "glsoat-", "glffct-", "glwt-"),
		keys("gitlab-token", word, run(wordDash, 20), "GR1348941"),
		keys("npm-token", word, run(word, 30), "npm_"),
		keys("pypi-token", word, run(wordDash, 32), "pypi-"),
		keys("crates-token", coding, random(word, 32), "cio"),
		keys("rubygems-token", word, run(hexadecimal, 40), "rubygems_"),
		keys("nuget-key", coding, exactly(lowerDigits, 43), "oy2"),
		keys("clojars-token", word, run(hexadecimal, 40), "CLOJARS_"),
		keys("docker-token", word, run(wordDash, 20), "dckr_pat_", "dckr_oat_"),
		keys("jfrog-token", word, run(word, 50), "AKCp", "cmVmdGtu"),
		keys("atlassian-token", word, run(token68, 32), "ATATT3x", "ATCTT3x"),
		keys("atlassian-token", word, run(wordDash, 20), "ATBB"),
		keys("sourcegraph-token", word, run(wordUnder, 40), "sgp_"),
		keys("circleci-token", word, run(wordUnder, 40), "CCIPAT_", "CCIPRJ_"),
		keys("buildkite-token", word, run(word, 30), "bkua_", "bkct_", "bkaj_", "bkpt_"),
		keys("sonar-token", word, run(hexadecimal, 40), "squ_", "sqp_", "sqa_"),
		keys("snyk-token", word, run(wordDot, 40), "snyk_uat."),
		keys("harness-token", word, run(wordDot, 50), "pat.", "sat."),
		keys("octopus-key", word, exactly(upperDigits, 26), "API-"),
		keys("postman-key", word, run(wordDash, 50), "PMAK-"),
		keys("readme-key", word, run(word, 50), "rdme_"),
		keys("prefect-key", word, run(word, 32), "pnu_", "pnb_"),
		keys("deno-token", word, run(word, 32), "ddp_", "ddo_"),
		// Clouds and hosts.
		keys("aws-key", word, exactly(upperDigits, 16), "AKIA", "ASIA", "ABIA", "ACCA"),
		keys("aws-key", word, run(hexDash, 32), "amzn.mws."),
		keys("aws-key", word, run(hexadecimal, 40), "amzn1.oa2-cs.v1."),
		keys("azure-secret", nil, after(wordTilde, 3, 3, run(wordTilde, 30)), "7Q~", "8Q~"),
		keys("digitalocean-token", word, run(word, 32), "dop_v1_", "doo_v1_", "dor_v1_"),
		keys("cloudflare-key", word, run(hexDash, 60), "v1.0-"),
		keys("cloudflare-key", word, run(wordDash, 36), "cfat_", "cfut_", "cfk_"),
		keys("heroku-key", word, run(wordDash, 36), "HRKU-"),
		keys("netlify-token", word, run(word, 32), "nfp_", "nfc_", "nfo_", "nfu_"),
		keys("vercel-token", word, run(word, 24), "vcp_", "vck_", "vci_", "vca_", "vcr_"),
		keys("fly-token", word, run(token68, 40), "FlyV1 fm1_", "FlyV1 fm2_", "fm1_", "fm2_", "fm1r_", "fm1a_", "fo1_"),
		keys("render-key", word, run(word, 24), "rnd_"),
		keys("scalingo-token", word, run(wordDash, 40), "tk-us-"),
		keys("alibaba-key", coding, random(word, 17), "LTAI"),
		keys("tencent-key", coding, exactly(word, 32), "AKID"),
		keys("yandex-key", word, run(wordDash, 35), "AQVN", "y0_A", "YCAJ", "YCM"),
		keys("scaleway-key", word, exactly(upperDigits, 17), "SCW"),
		keys("firebase-key", word, firebase, "AAAA"),
		keys("tailscale-key", word, run(wordDash, 20), "tskey-"),
		keys("openshift-token", word, run(wordDash, 43), "sha256~"),
		keys("terraform-token", nil, after(word, 14, 14, run(wordDash, 60)), ".atlasv1."),
		keys("pulumi-token", word, run(hexadecimal, 40), "pul-"),
		keys("vault-token", word, run(wordDash, 24), "hvs.", "hvb.", "hvr."),
		keys("doppler-token", word, run(word, 40), "dp.pt.", "dp.st.", "dp.ct.", "dp.sa.", "dp.scim.", "dp.audit."),
		keys("doppler-token", word, run(wordDot, 44), "dp.st."),
		keys("infisical-token", word, run(hexDot, 60), "st."),
		keys("1password-token", word, run(token68, 60), "ops_eyJ"),
		keys("1password-key", word, run(upperDash, 30), "A3-"),
		// Data.
		keys("databricks-token", word, run(hexadecimal, 32), "dapi", "dose", "dkea"),
		keys("planetscale-token", word, run(wordTilde, 32), "pscale_tkn_", "pscale_pw_", "pscale_oauth_"),
		keys("supabase-key", word, run(wordUnder, 20), "sbp_", "sb_secret_"),
		keys("neon-key", word, run(word, 40), "napi_"),
		keys("mongodb-key", word, run(wordDash, 32), "mdb_sa_sk_"),
		keys("airtable-token", word, airtable, "pat"),
		keys("contentful-token", word, run(wordDash, 40), "CFPAT-"),
		// Monitoring.
		keys("grafana-token", word, run(token68, 32), "glc_", "eyJrIjoi"),
		keys("grafana-token", word, run(wordUnder, 32), "glsa_"),
		keys("sentry-token", word, run(hexadecimal, 60), "sntryu_", "sntrya_"),
		keys("sentry-token", word, run(token68, 60), "sntrys_"),
		keys("newrelic-key", word, run(wordDash, 24), "NRAK-", "NRII-", "NRIQ-", "NRRA-", "NRJS-", "NRBR-", "NRSP-"),
		keys("dynatrace-token", word, run(wordDot, 60), "dt0c01.", "dt0s01.", "dt0s02.", "dt0s06.", "dt0s08.", "dt0s16."),
		keys("honeycomb-key", word, run(word, 50), "hcaik_", "hcxik_", "hcbik_", "hcamk_"),
		keys("axiom-token", word, run(hexDash, 36), "xaat-", "xapt-"),
		keys("posthog-key", word, run(word, 40), "phx_"),
		keys("launchdarkly-key", wordDash, run(hexDash, 36), "sdk-", "api-", "mob-"),
		// Messaging.
		keys("slack-token", word, random(wordDash, 16), "xoxa-", "xoxb-", "xoxc-", "xoxd-", "xoxp-", "xoxr-", "xoxs-", "xapp-"),
		keys("slack-token", word, random(token68, 16), "xoxe-", "xoxe."),
		keys("slack-webhook", nil, run(wordPath, 30), "hooks.slack.com/services/", "hooks.slack.com/workflows/",
			"hooks.slack.com/triggers/"),
		keys("discord-webhook", nil, run(wordPath, 60), "discord.com/api/webhooks/", "discordapp.com/api/webhooks/"),
		keys("discord-token", word, run(wordDash, 60), "mfa."),
		keys("teams-webhook", nil, run(webhookPath, 60), "webhook.office.com/webhookb2/"),
		keys("zapier-webhook", nil, run(wordPath, 12), "hooks.zapier.com/hooks/catch/"),
		keys("telegram-token", nil, after(digits, 6, 12, run(wordDash, 30)), ":AA"),
		keys("twilio-key", coding, exactly(hexadecimal, 31), "SK0", "SK1", "SK2", "SK3", "SK4", "SK5", "SK6", "SK7", "SK8", "SK9", "SKa",
			"SKb", "SKc", "SKd", "SKe", "SKf"),
		keys("sendgrid-key", word, random(wordDot, 40), "SG."),
		keys("mailgun-key", wordDash, run(hexadecimal, 32), "key-"),
		keys("brevo-key", word, run(wordDash, 60), "xkeysib-", "xsmtpsib-"),
		keys("resend-key", wordDash, exactlyTwo(8, 24), "re_"),
		keys("facebook-token", coding, random(word, 80), "EAA"),
		keys("instagram-token", coding, run(wordDash, 80), "IGQ"),
		keys("twitter-token", coding, run(urlText, 60), "AAAAAAAAAAAAAAAAAAAAA"),
		// Payment.
		keys("stripe-key", word, run(word, 16), "sk_live_", "sk_test_", "sk_prod_", "rk_live_", "rk_test_", "rk_prod_"),
		keys("stripe-key", word, run(base64Text, 16), "whsec_"),
		keys("square-token", word, run(wordDash, 22), "sq0atp-", "sq0csp-"),
		keys("square-token", coding, exactly(wordDash, 60), "EAAA"),
		keys("braintree-token", nil, run(paypalText, 30), "access_token$production$", "access_token$sandbox$"),
		keys("plaid-token", nil, run(hexDash, 36), "access-production-", "access-sandbox-", "access-development-"),
		keys("shopify-token", word, run(hexadecimal, 32), "shpat_", "shpca_", "shppa_", "shpss_", "shpua_", "shptka_"),
		keys("flutterwave-key", word, run(hexDashX, 32), "FLWSECK-", "FLWSECK_TEST-"),
		keys("razorpay-key", word, run(word, 14), "rzp_live_", "rzp_test_"),
		keys("shippo-token", word, run(hexadecimal, 32), "shippo_live_", "shippo_test_"),
		keys("duffel-token", word, run(wordDash, 40), "duffel_live_", "duffel_test_"),
		keys("easypost-key", word, exactly(word, 54), "EZAK", "EZTK"),
		keys("stytch-key", word, run(wordDash, 32), "secret-live-", "secret-test-"),
		// Work.
		keys("linear-key", word, run(word, 32), "lin_api_", "lin_oauth_", "lin_wh_"),
		keys("notion-token", word, run(word, 32), "ntn_"),
		keys("notion-token", wordUnder, exactly(word, 43), "secret_"),
		keys("figma-token", word, run(wordDash, 32), "figd_", "figo_"),
		keys("hubspot-token", word, run(hexDash, 36), "pat-na1-", "pat-na2-", "pat-eu1-", "pat-ap1-"),
		keys("dropbox-token", word, run(wordDash, 100), "sl.u.", "sl."),
		keys("intercom-token", word, run(base64Text, 40), "dG9rO"),
		keys("typeform-token", word, run(wordDot, 40), "tfp_"),
		keys("mapbox-token", word, jwtLike, "sk.eyJ", "tk.eyJ"),
		keys("onesignal-key", word, run(word, 60), "os_v2_app_", "os_v2_org_"),
		keys("adobe-secret", word, run(wordDash, 32), "p8e-"),
		keys("okta-token", nil, run(wordDash, 38), "SSWS 00"),
		keys("lichess-token", word, run(word, 16), "lip_"),
		// Keys.
		keys("age-key", word, run(word, 32), "AGE-SECRET-KEY-1"),
		keys("nostr-key", word, exactly(lowerDigits, 58), "nsec1"),
		keys("wallet-key", word, exactly(word, 107), "xprv", "yprv", "zprv", "tprv"),
		keys("jwt", wordDash, jwt, "eyJ"),
		keys("private-key", nil, privateKey, "-----BEGIN "),
		keys("private-key", nil, putty, "-Lines: "),
	)
})

// contexts are recognized by the text around a secret, in order of precedence after the vendors'.
var contexts = sync.OnceValue(func() []shape {
	return slices.Concat(
		keys("discord-token", wordDash, discord, discordStarts()...),
		keys("url-password", nil, userinfo, "://"),
		keys("signed-url", word, signature(40), "sig=", "X-Amz-Signature=", "X-Goog-Signature=", "x-oss-signature="),
		keys("signed-url", nil, signature(26), "&Signature=", "?Signature="),
		keys("mailchimp-key", nil, mailchimp, "-us"),
		folded("authorization", authorization, "authorization"),
		folded("bearer-token", bearer, "bearer "),
		folded("cookie", cookies, "cookie:"),
		folded("assigned-secret", behind(bare, weak), "identified by "),
		marked(nil, behind(bare, weak), "sona|r.login="),
		keys("assigned-secret", wordDash, userOption, "-u "),
		commands(),
		calls(),
		annotations(),
		keys("assigned-secret", nil, shortOption, " -p"),
		keys("assigned-secret", wordDash, shortOption, "-a ", "-N "),
		keys("assigned-secret", nil, behindSlash, "oracle:thin:", "sqlplus "),
		keys("assigned-secret", nil, passwordFile, ":5432:", ":6432:", ":3306:", ":5433:"),
		folded("assigned-secret", assigned(ordinary), nameKinds[ordinary]...),
		folded("assigned-secret", assigned(password), nameKinds[password]...),
		folded("assigned-secret", assigned(key), nameKinds[key]...),
		folded("assigned-secret", assigned(short), nameKinds[short]...),
		folded("assigned-secret", assigned(session), nameKinds[session]...),
		anyCase(marked(nil, assigned(ordinary), "code_ve|rifier", "codeve|rifier")),
		anyCase(marked(nil, assigned(password), "ke|nnwort", "mo|tdepasse", "mot_|de_passe", "contra|seña", "cont|rasena", "wa|chtwoord",
			"lösenord")),
		marked(nil, assigned(password), "пароль", "Пароль", "ПАРОЛЬ", "密码", "密碼", "パスワード",
			"비밀번호"),
		anyCase(marked(letters, assigned(short), "c|lave", "se|nha", "he|slo", "h|asło", "creds")),
	)
})

// named are the names that are also searched for in base64, which may contain a whole settings file.
var named = sync.OnceValue(func() []shape {
	return slices.Concat(
		keys("assigned-secret", nil, assigned(ordinary), "token", "TOKEN", "secret", "SECRET", "apiKey", "API_KEY"),
		keys("assigned-secret", nil, assigned(password), "password", "PASSWORD"),
	)
})

// Where shapes may begin: in plain text, and also within base64.
var (
	plainStarts = sync.OnceValue(func() *starts[*shape] { return build(false) })
	codedStarts = sync.OnceValue(func() *starts[*shape] { return build(true) })
)

func build(coded bool) *starts[*shape] {
	room := 1024
	if coded {
		room = 2048
	}
	s := &starts[*shape]{all: make([]*shape, 0, room), in: make([]uint16, 0, room)}
	for _, list := range [][]shape{vendors(), contexts()} {
		for i := range list {
			s.add(list[i].prefix, &list[i], list[i].fold)
		}
	}
	if coded {
		e := encoder{to: s, room: make([]shape, 0, 1024)}
		for _, list := range [][]shape{vendors(), named()} {
			for i := range list {
				e.add(&list[i])
			}
		}
	}
	s.sort()
	return s
}

// startsIn returns the places to check in text. Most texts have no base64 as long as a secret, and need only the small table.
func startsIn[S string | []byte](text S, last bool) *starts[*shape] {
	if longRun(text, last) {
		return codedStarts()
	}
	return plainStarts()
}

var (
	lowerDigits = chars("a-z0-9")
	hexDash     = chars("0-9A-Fa-f-")
	hexDashX    = chars("0-9A-Fa-fX-")
	hexDot      = chars("0-9A-Fa-f.")
	upperDash   = chars("A-Z0-9-")
	urlText     = chars("A-Za-z0-9%")
	webhookPath = chars("A-Za-z0-9@/_-")
	paypalText  = chars("a-z0-9$")
)
