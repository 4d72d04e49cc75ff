package home

import (
	"context"
	"net/http"
	"os"
	"slices"
	"strings"

	"github.com/socrates-cli/socrates/internal/config"
	"github.com/socrates-cli/socrates/internal/config/setting"
	"github.com/socrates-cli/socrates/internal/failure"
	"github.com/socrates-cli/socrates/internal/llm"
	"github.com/socrates-cli/socrates/internal/llm/anthropic"
	"github.com/socrates-cli/socrates/internal/llm/bedrock"
	"github.com/socrates-cli/socrates/internal/llm/catalogue"
	"github.com/socrates-cli/socrates/internal/llm/cost"
	"github.com/socrates-cli/socrates/internal/llm/gemini"
	"github.com/socrates-cli/socrates/internal/llm/openai"
	"github.com/socrates-cli/socrates/internal/llm/vertex"
	"github.com/socrates-cli/socrates/internal/spelling"
)

// SignsIn is the vendor that issues a key to people who sign in with a browser.
const SignsIn = "openrouter"

// Endpoint is the API of a seat. It may lack an address or a model; the function Endpoint refuses those, Access
// does not.
type Endpoint struct {
	Vendor  catalogue.Vendor
	known   bool   // the vendor is in the catalogue
	chosen  string // model in the settings; empty: none
	lineage string // in the settings; empty: none
	Info    llm.Info
	URL     string
	Secret  setting.Secret
	FromEnv string // the variable with the key; empty: none is set
	cloud   config.Cloud
}

// Endpoint finds a vendor of the catalogue or a provider of the configuration by name, and its model.
// model may be a tier, an id or empty. A model that is no tier but nearly one is refused, because a vendor would answer
// "no such model" only after a debate has begun.
func (k *Keys) Endpoint(name, model string) (Endpoint, error) {
	e, err := k.Access(name)
	if err != nil {
		return e, err
	}
	c, err := k.home.Settings.Models()
	if err != nil {
		return e, err
	}
	if model == "" {
		model = e.chosen
	}
	if model == "" && len(e.Vendor.Tiers) > 0 {
		model = string(llm.Mid)
	}
	if model == "" {
		return e, failure.Usage("seat "+name+" needs a model", "write "+name+":MODEL, or set providers."+name+".model")
	}
	if strings.ContainsAny(model, " \t\n") {
		return e, failure.Usage("seat "+name+":"+model+": a model name cannot contain spaces", "list models with: socrates models")
	}
	if e.known {
		if tier := spelling.Nearest(model, []string{"small", "mid", "big"}); tier != "" && tier != model && len(model) < 6 &&
			len(e.Vendor.Tiers) > 0 && !hasModel(c, name, model) {
			return e, failure.Usage("seat "+name+":"+model+" is not a known model", "did you mean "+name+":"+tier+"?")
		}
		if e.Info, _, err = c.Resolve(name, model); err != nil {
			return e, failure.Usage("seat "+name+":"+model+": "+err.Error(), "")
		}
	} else {
		e.Info = llm.Info{ID: model, Lineage: c.Lineage(model)}
	}
	if e.Vendor.Wire == "vertex" && e.cloud.Region != "global" {
		e.Info.Price = cost.Price{} // this region costs more than the catalogue says
	}
	if e.lineage != "" {
		e.Info.Lineage = e.lineage
	} else if e.Info.Lineage == e.Info.ID {
		e.Info.Lineage = name // the model's family is unknown, and two such models of one endpoint are not independent
	}
	if e.URL == "" {
		return e, failure.Usage("seat "+name+" has no base URL", "set providers."+name+".base_url")
	}
	return e, nil
}

// hasModel reports whether the catalogue has a model of a vendor by this name.
func hasModel(c *catalogue.Catalogue, vendor, model string) bool {
	return slices.ContainsFunc(c.ModelsOf(vendor), func(i llm.Info) bool { return i.ID == model })
}

// Access returns the address of an endpoint and the possible sources of its key, whatever the model. It reads
// the environment again each time and never opens a keyring.
func (k *Keys) Access(name string) (Endpoint, error) {
	c, err := k.home.Settings.Models()
	if err != nil {
		return Endpoint{}, err
	}
	cfg, err := k.home.Settings.Load()
	if err != nil {
		return Endpoint{}, err
	}
	var e Endpoint
	i := slices.IndexFunc(c.Vendors(), func(v catalogue.Vendor) bool { return v.Name == name })
	if i >= 0 {
		e.Vendor, e.known = c.Vendors()[i], true
	}
	p, configured := provider(cfg, name)
	if i < 0 && !configured {
		return e, failure.Usage("unknown seat "+name, failure.Nearest(name, k.home.Seats.Names(c, cfg, name)))
	}
	if configured {
		e.overlay(p)
	}
	e.URL = e.Vendor.BaseURL
	for _, v := range e.Vendor.BaseURLEnv {
		if u := Environ(v); u != "" && p.BaseURL == "" {
			e.URL = u
			break
		}
	}
	for _, v := range e.Vendor.KeyEnv {
		if Environ(v) != "" {
			e.FromEnv = v
			break
		}
	}
	if e.Vendor.Cloud() {
		e.findRegion()
	}
	return e, nil
}

// overlay overrides the catalogue with the user's settings of a provider.
func (e *Endpoint) overlay(p config.Provider) {
	if p.BaseURL != "" {
		e.Vendor.BaseURL = p.BaseURL
	}
	if p.Wire != "" {
		e.Vendor.Wire = p.Wire
	}
	if e.Vendor.Wire == "" {
		e.Vendor.Wire = "chat"
	}
	e.Vendor.Name = p.Name
	e.Secret, e.chosen, e.lineage, e.cloud = p.Key, p.Model, p.Lineage, p.Cloud
}

// provider returns the provider of a name in the settings, if there is one.
func provider(cfg *config.Config, name string) (config.Provider, bool) {
	for _, p := range cfg.Providers() {
		if p.Name == name {
			return p, true
		}
	}
	return config.Provider{}, false
}

// reveal finds the key. A remote vendor without one is an authentication failure; a cloud may use other
// credentials. The order is config, environment, keyring, cloud. Only this may take long: a keyring may ask the
// person.
func (k *Keys) reveal(e Endpoint) (string, error) {
	key, err := e.Secret.Reveal(os.LookupEnv)
	if err != nil {
		return "", failure.New(failure.ExitAuth, "auth", "seat "+e.Vendor.Name+": "+err.Error(), "")
	}
	if key == "" && e.FromEnv != "" {
		key = Environ(e.FromEnv)
	}
	if key == "" {
		if key, err = k.StoredKey(e.Vendor.Name); err != nil {
			return "", err
		}
	}
	if key == "" && e.Vendor.Cloud() {
		if _, err := k.credentials(e); err != nil {
			return "", err
		}
	}
	if key == "" && !e.Vendor.Local && !e.Vendor.Cloud() && len(e.Vendor.KeyEnv) > 0 {
		return "", failure.New(failure.ExitAuth, "auth", "seat "+e.Vendor.Name+" has no API key",
			"run socrates login "+e.Vendor.Name+", or set "+e.Vendor.KeyEnv[0]+", or providers."+e.Vendor.Name+".key in your config")
	}
	k.home.Learn(key)
	return key, e.Placed()
}

// adapter makes the adapter for the endpoint's protocol.
func (k *Keys) adapter(e Endpoint, key string) llm.Model {
	switch e.Vendor.Wire {
	case "bedrock":
		return bedrock.New(e.Info, bedrock.Access{URL: e.URL, Region: e.cloud.Region, Key: key, Signer: k.signer(e)})
	case "vertex":
		return vertex.New(e.Info, vertex.Access{URL: e.URL, Project: e.cloud.Project, Location: e.cloud.Region, Login: &k.google})
	case "messages":
		return anthropic.New(e.Info, e.URL, key)
	case "generate":
		return gemini.New(e.Info, e.URL, key)
	case "responses":
		return openai.New(e.Info, e.URL, key, openai.Responses)
	}
	return openai.New(e.Info, e.URL, key, openai.Chat)
}

// Probe makes a request that costs nothing and succeeds only if the key works. Each protocol has one.
func (e Endpoint) Probe(ctx context.Context, key string) (*http.Request, error) {
	if err := e.Placed(); err != nil {
		return nil, err
	}
	path, header, value := "/models", "Authorization", "Bearer "+key
	switch {
	case e.Vendor.Wire == "bedrock": // its models are listed at another host than they run on
		path, e.URL = "/foundation-models", strings.Replace(e.URL, "//bedrock-runtime.", "//bedrock.", 1)
	case e.Vendor.Wire == "messages":
		path, header, value = "/v1/models?limit=1", "X-Api-Key", key
	case e.Vendor.Wire == "generate":
		path, header, value = "/v1beta/models?pageSize=1", "X-Goog-Api-Key", key
	case e.Vendor.Name == SignsIn:
		path = "/key" // its list of models is public
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, strings.TrimRight(e.URL, "/")+path, nil)
	if err != nil {
		return nil, err
	}
	req.Header.Set(header, value)
	if e.Vendor.Wire == "messages" {
		req.Header.Set("Anthropic-Version", "2023-06-01")
	}
	return req, nil
}
