package redact_test

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/socrates-cli/socrates/internal/redact"
)

// vendorFormats are tokens as their vendors give them out. Looked up in November 2026 were Cloudflare's
// (developers.cloudflare.com/fundamentals/api/get-started/token-formats), Vercel's (vercel.com/changelog/new-token-formats-and-secret-scanning)
// and GitLab's prefixes; the others are written from knowledge of the vendors' pages and were not looked up again. What «» enclose is the
// secret, if that is not all.
var vendorFormats = []struct{ kind, format string }{
	{"anthropic-key", "sk-ant-api03-{w93}AA"}, {"anthropic-key", "sk-ant-admin01-{w93}AA"}, {"anthropic-key", "sk-ant-oat01-{w93}AA"}, {"anthropic-key", "sk-ant-ort01-{w93}AA"},
	{"openai-key", "sk-proj-{w74}T3BlbkFJ{w74}"}, {"openai-key", "sk-svcacct-{w58}T3BlbkFJ{w58}"}, {"openai-key", "sk-admin-{w58}T3BlbkFJ{w58}"}, {"api-key", "sk-{A20}T3BlbkFJ{A20}"},
	{"api-key", "sk-{x32}"}, {"api-key", "sk-{A48}"}, {"langfuse-key", "sk-lf-{u}"}, {"openrouter-key", "sk-or-v1-{x64}"},
	{"google-key", "AIzaSy{w33}"}, {"google-key", "AQ.Ab8{w47}"}, {"google-oauth", "ya29.a0{w120}"}, {"google-oauth", "GOCSPX-{w28}"}, {"google-oauth", "1//0{w60}"},
	{"xai-key", "xai-{A80}"}, {"groq-key", "gsk_{A52}"}, {"perplexity-key", "pplx-{A48}"}, {"nvidia-key", "nvapi-{w64}"}, {"fireworks-key", "fw_{A24}"}, {"together-key", "tgp_v1_{w43}"},
	{"cerebras-key", "csk-{l48}"}, {"replicate-key", "r8_{A37}"}, {"huggingface-token", "hf_{L34}"}, {"huggingface-token", "api_org_{L34}"}, {"voyage-key", "pa-{w43}"}, {"jina-key", "jina_{A60}"},
	{"elevenlabs-key", "sk_{x48}"}, {"pinecone-key", "pcsk_{A5}_{A63}"}, {"tavily-key", "tvly-dev-{A32}"}, {"firecrawl-key", "fc-{x32}"}, {"e2b-key", "e2b_{x40}"}, {"langsmith-key", "lsv2_pt_{x32}_{x10}"},
	{"runpod-key", "rpa_{U46}"}, {"wandb-key", "wandb_v1_{A40}_{A40}"}, {"bedrock-key", "bedrock-api-key-{b100}"}, {"bedrock-key", "ABSKQmVkcm9ja{b100}"},
	{"github-token", "ghp_{A36}"}, {"github-token", "gho_{A36}"}, {"github-token", "ghu_{A36}"}, {"github-token", "ghs_{A36}"}, {"github-token", "ghr_{A36}"}, {"github-token", "github_pat_{A22}_{A59}"},
	{"gitlab-token", "glpat-{w20}"}, {"gitlab-token", "glpat-{w27}.01.{l9}"}, {"gitlab-token", "gldt-{w20}"}, {"gitlab-token", "glrt-{w20}"}, {"gitlab-token", "glrtr-{w20}"}, {"gitlab-token", "glcbt-1f_{w20}"},
	{"gitlab-token", "glptt-{x40}"}, {"gitlab-token", "glft-{w20}"}, {"gitlab-token", "glimt-{w25}"}, {"gitlab-token", "glagent-{w50}"}, {"gitlab-token", "gloas-{x64}"}, {"gitlab-token", "glsoat-{w20}"},
	{"gitlab-token", "glffct-{w20}"}, {"gitlab-token", "GR1348941{w20}"},
	{"npm-token", "npm_{A36}"}, {"pypi-token", "pypi-AgEIcHlwaS5vcmc{w150}"}, {"crates-token", "cio{A32}"}, {"rubygems-token", "rubygems_{x48}"}, {"nuget-key", "oy2{l43}"}, {"clojars-token", "CLOJARS_{x60}"},
	{"docker-token", "dckr_pat_{w27}"}, {"docker-token", "dckr_oat_{w32}"}, {"jfrog-token", "AKCp{A69}"}, {"jfrog-token", "cmVmdGtu{A56}"}, {"atlassian-token", "ATATT3xFfGF0{w171}={X8}"}, {"atlassian-token", "ATCTT3xFfGN0{w171}={X8}"},
	{"atlassian-token", "ATBB{A28}{X8}"}, {"sourcegraph-token", "sgp_{x16}_{x40}"}, {"circleci-token", "CCIPAT_{A22}_{x40}"}, {"circleci-token", "CCIPRJ_{A22}_{x40}"}, {"buildkite-token", "bkua_{x40}"},
	{"sonar-token", "squ_{x40}"}, {"sonar-token", "sqp_{x40}"}, {"sonar-token", "sqa_{x40}"}, {"snyk-token", "snyk_uat.{x8}.{w60}"}, {"harness-token", "pat.{A22}.{x24}.{A20}"}, {"octopus-key", "API-{U26}"},
	{"postman-key", "PMAK-{x24}-{x34}"}, {"readme-key", "rdme_{l70}"}, {"prefect-key", "pnu_{l36}"}, {"deno-token", "ddp_{A36}"},
	{"aws-key", "AKIA{U16}"}, {"aws-key", "ASIA{U16}"}, {"aws-key", "ABIA{U16}"}, {"aws-key", "ACCA{U16}"}, {"aws-key", "amzn.mws.{u}"}, {"aws-key", "amzn1.oa2-cs.v1.{x64}"},
	{"azure-secret", "«{A3}8Q~{w34}»"}, {"azure-secret", "«{A3}7Q~{w34}»"}, {"digitalocean-token", "dop_v1_{x64}"}, {"digitalocean-token", "doo_v1_{x64}"}, {"digitalocean-token", "dor_v1_{x64}"},
	{"cloudflare-key", "v1.0-{x24}-{x146}"}, {"cloudflare-key", "cfk_{A40}{x8}"}, {"cloudflare-key", "cfut_{A40}{x8}"}, {"cloudflare-key", "cfat_{A40}{x8}"}, {"vercel-token", "vci_{A56}"}, {"vercel-token", "vca_{A56}"}, {"vercel-token", "vcr_{A56}"}, {"vercel-token", "vck_{A56}"}, {"heroku-key", "HRKU-{u}"}, {"heroku-key", "HRKU-AA{w58}"}, {"netlify-token", "nfp_{A36}"}, {"vercel-token", "vcp_{A56}"}, {"fly-token", "FlyV1 fm2_{b200}"}, {"fly-token", "fo1_{w43}"},
	{"render-key", "rnd_{A32}"}, {"scalingo-token", "tk-us-{w48}"}, {"alibaba-key", "LTAI{A20}"}, {"tencent-key", "AKID{A32}"}, {"yandex-key", "AQVN{w36}"}, {"yandex-key", "y0_A{w55}"}, {"scaleway-key", "SCW{U17}"},
	{"firebase-key", "AAAA{w7}:APA91b{w134}"}, {"tailscale-key", "tskey-auth-k{A16}-{A32}"}, {"openshift-token", "sha256~{w43}"}, {"terraform-token", "«{A14}.atlasv1.{w67}»"}, {"pulumi-token", "pul-{x40}"},
	{"vault-token", "hvs.{w92}"}, {"vault-token", "hvb.{w140}"}, {"vault-token", "hvr.{w92}"}, {"doppler-token", "dp.pt.{A43}"}, {"doppler-token", "dp.st.dev_x.{A43}"}, {"doppler-token", "dp.ct.{A43}"}, {"doppler-token", "dp.sa.{A43}"},
	{"infisical-token", "st.{x24}.{x32}.{x32}"}, {"1password-token", "ops_eyJ{b300}"}, {"1password-key", "A3-{U6}-{U6}-{U5}-{U5}-{U5}-{U5}"}, {"1password-key", "A3-{U6}-{U11}-{U5}-{U5}-{U5}"},
	{"databricks-token", "dapi{x32}"}, {"planetscale-token", "pscale_tkn_{w43}"}, {"planetscale-token", "pscale_pw_{w43}"}, {"planetscale-token", "pscale_oauth_{w43}"}, {"supabase-key", "sbp_{x40}"}, {"supabase-key", "sb_secret_{A22}_{A8}"},
	{"neon-key", "napi_{l64}"}, {"mongodb-key", "mdb_sa_sk_{w40}"}, {"airtable-token", "pat{A14}.{x64}"}, {"contentful-token", "CFPAT-{w43}"},
	{"grafana-token", "glc_{b120}"}, {"grafana-token", "glsa_{A32}_{x8}"}, {"grafana-token", "eyJrIjoi{b80}="}, {"sentry-token", "sntryu_{x64}"}, {"sentry-token", "sntrys_eyJ{b100}_{b43}"}, {"newrelic-key", "NRAK-{U27}"}, {"newrelic-key", "NRII-{w32}"},
	{"dynatrace-token", "dt0c01.{U24}.{U64}"}, {"honeycomb-key", "hcaik_{l58}"}, {"axiom-token", "xaat-{u}"}, {"posthog-key", "phx_{A43}"}, {"launchdarkly-key", "sdk-{u}"}, {"launchdarkly-key", "api-{u}"},
	{"slack-token", "xoxb-{d12}-{d13}-{A24}"}, {"slack-token", "xoxp-{d12}-{d12}-{d13}-{x32}"}, {"slack-token", "xapp-1-A{U10}-{d13}-{x64}"}, {"slack-token", "xoxe.xoxp-1-{b140}"}, {"slack-token", "xoxe-1-{A140}"}, {"slack-token", "xoxc-{d12}-{d12}-{d12}-{x64}"},
	{"slack-webhook", "https://hooks.slack.com/services/«T{U10}/B{U10}/{A24}»"}, {"slack-webhook", "https://hooks.slack.com/workflows/«T{U10}/A{U10}/{d18}/{A24}»"}, {"slack-webhook", "https://hooks.slack.com/triggers/«T{U10}/{d13}/{x32}»"},
	{"discord-webhook", "https://discord.com/api/webhooks/«{d19}/{w68}»"}, {"discord-token", "mfa.{w84}"}, {"teams-webhook", "https://acme.webhook.office.com/webhookb2/«{u}@{u}/IncomingWebhook/{x32}/{u}»"}, {"zapier-webhook", "https://hooks.zapier.com/hooks/catch/«{d8}/{l7}»"},
	{"telegram-token", "{d10}:«AA{w33}»"}, {"twilio-key", "SK{x32}"}, {"sendgrid-key", "SG.{w22}.{w43}"}, {"mailgun-key", "key-{x32}"}, {"brevo-key", "xkeysib-{x64}-{A16}"}, {"brevo-key", "xsmtpsib-{x64}-{A16}"}, {"resend-key", "re_{A8}_{A24}"},
	{"facebook-token", "EAACEdEose0cBA{A120}"}, {"instagram-token", "IGQVJ{A140}"}, {"twitter-token", "AAAAAAAAAAAAAAAAAAAAA{A90}"},
	{"stripe-key", "sk_live_{A24}"}, {"stripe-key", "sk_test_{A99}"}, {"stripe-key", "sk_prod_{A24}"}, {"stripe-key", "rk_live_{A99}"}, {"stripe-key", "rk_test_{A24}"}, {"stripe-key", "rk_prod_{A24}"}, {"stripe-key", "whsec_{A32}"}, {"stripe-key", "whsec_{b43}="},
	{"square-token", "sq0atp-{w22}"}, {"square-token", "sq0csp-{w43}"}, {"square-token", "EAAA{w60}"}, {"braintree-token", "access_token$production${l16}${x32}"}, {"plaid-token", "access-production-{u}"}, {"plaid-token", "access-sandbox-{u}"},
	{"shopify-token", "shpat_{x32}"}, {"shopify-token", "shpca_{x32}"}, {"shopify-token", "shppa_{x32}"}, {"shopify-token", "shpss_{x32}"}, {"flutterwave-key", "FLWSECK-{x32}-X"}, {"razorpay-key", "rzp_live_{A14}"}, {"shippo-token", "shippo_live_{x40}"},
	{"duffel-token", "duffel_live_{w43}"}, {"easypost-key", "EZAK{A54}"}, {"easypost-key", "EZTK{A54}"}, {"stytch-key", "secret-live-{w35}="},
	{"linear-key", "lin_api_{A40}"}, {"linear-key", "lin_oauth_{x64}"}, {"notion-token", "ntn_{A46}"}, {"notion-token", "secret_{A43}"}, {"figma-token", "figd_{w40}"}, {"hubspot-token", "pat-na1-{u}"}, {"hubspot-token", "pat-eu1-{u}"},
	{"dropbox-token", "sl.u.{w140}"}, {"dropbox-token", "sl.{w130}"}, {"intercom-token", "dG9rO{b54}="}, {"typeform-token", "tfp_{w40}_{w16}"}, {"mapbox-token", "sk.eyJ{w80}.{w22}"}, {"onesignal-key", "os_v2_app_{l103}"}, {"adobe-secret", "p8e-{w32}"},
	{"okta-token", "SSWS 00{w40}"}, {"lichess-token", "lip_{A20}"}, {"age-key", "AGE-SECRET-KEY-1{U58}"}, {"nostr-key", "nsec1{l58}"}, {"wallet-key", "xprv{A107}"}, {"jwt", "eyJhbGciOiJIUzI1NiJ9.eyJ{w60}.{w43}"},
	{"discord-token", "MTA{A20}LTg.G{w5}.{w38}"}, {"signed-url", "https://acme.blob.core.windows.net/c?sv=2024-01-01&sig=«{A40}%3D»"}, {"url-password", "https://«{A40}»@o1.ingest.example.io/1"},
}

// token makes a token, and says which part of it is secret.
func token(m maker, format string) (text, secret string) {
	text = m.fill(format)
	before, rest, ok := strings.Cut(text, "«")
	if !ok {
		return text, text
	}
	secret, after, _ := strings.Cut(rest, "»")
	return before + secret + after, secret
}

func TestVendors(t *testing.T) {
	var r redact.Redactor
	m := maker{rand.New(rand.NewPCG(3, 3))}
	for _, f := range vendorFormats {
		for range 20 {
			text, secret := token(m, f.format)
			got := r.String("see " + text + " there")
			if shows(got, secret) || !strings.Contains(got, "[redacted:"+f.kind+"]") {
				t.Errorf("%s %s: %q -> %q", f.kind, f.format, text, got)
				break
			}
		}
	}
}
