package cmd

import (
	"os"
	"slices"
	"strings"

	"github.com/socrates-cli/socrates/internal/config"
	"github.com/socrates-cli/socrates/internal/failure"
	"github.com/socrates-cli/socrates/internal/llm"
	"github.com/socrates-cli/socrates/internal/llm/anthropic"
	"github.com/socrates-cli/socrates/internal/llm/gemini"
	"github.com/socrates-cli/socrates/internal/llm/openai"
	"github.com/socrates-cli/socrates/internal/spelling"
)

// endpoint is where an API seat's calls go.
type endpoint struct {
	vendor  llm.Vendor
	known   bool   // the vendor is in the catalogue
	chosen  string // model of the settings; empty: none
	lineage string // of the settings; empty: none
	info    llm.Info
	url     string
	secret  config.Secret
	fromEnv string // variable the key is in; empty: none is set
}

// endpoint finds a vendor of the catalogue or a provider of the configuration by name, and its model.
func (a *app) endpoint(name, model string) (endpoint, error) {
	e, err := a.access(name)
	if err != nil {
		return e, err
	}
	c, err := a.models()
	if err != nil {
		return e, err
	}
	if model == "" {
		model = e.chosen
	}
	if model == "" && len(e.vendor.Tiers) > 0 {
		model = string(llm.Mid)
	}
	if model == "" {
		return e, failure.Usage("seat "+name+" does not say which model", "write "+name+":MODEL, or set providers."+name+".model")
	}
	if strings.ContainsAny(model, " \t\n") {
		return e, failure.Usage("seat "+name+":"+model+": the name of a model has no spaces", "socrates models lists those that are known")
	}
	if e.known {
		if tier := spelling.Nearest(model, []string{"small", "mid", "big"}); tier != "" && tier != model && len(model) < 6 && len(e.vendor.Tiers) > 0 {
			return e, failure.Usage("seat "+name+":"+model+" names no model that is written down", "did you mean "+name+":"+tier+"?")
		}
		if e.info, _, err = c.Resolve(name, model); err != nil {
			return e, failure.Usage("seat "+name+":"+model+": "+err.Error(), "")
		}
	} else {
		e.info = llm.Info{ID: model, Lineage: c.Lineage(model)}
	}
	if e.lineage != "" {
		e.info.Lineage = e.lineage
	} else if e.info.Lineage == e.info.ID {
		e.info.Lineage = name // nobody knows the model's family: two such models of one endpoint are not independent
	}
	if e.url == "" {
		return e, failure.Usage("seat "+name+" has no address", "set providers."+name+".base_url")
	}
	return e, nil
}

// access is where an endpoint is and where its key may be, whatever the model.
func (a *app) access(name string) (endpoint, error) {
	c, err := a.models()
	if err != nil {
		return endpoint{}, err
	}
	cfg, err := a.settings()
	if err != nil {
		return endpoint{}, err
	}
	var e endpoint
	i := slices.IndexFunc(c.Vendors(), func(v llm.Vendor) bool { return v.Name == name })
	if i >= 0 {
		e.vendor, e.known = c.Vendors()[i], true
	}
	p, configured := provider(cfg, name)
	if i < 0 && !configured {
		return e, failure.Usage("there is no seat "+name, failure.Nearest(name, a.seatNames(c, cfg, name)))
	}
	if configured {
		e.overlay(p)
	}
	e.url = e.vendor.BaseURL
	for _, v := range e.vendor.BaseURLEnv {
		if u := environ(v); u != "" && p.BaseURL == "" {
			e.url = u
			break
		}
	}
	for _, v := range e.vendor.KeyEnv {
		if environ(v) != "" {
			e.fromEnv = v
			break
		}
	}
	return e, nil
}

// overlay lays the user's settings of a provider over what the catalogue says.
func (e *endpoint) overlay(p config.Provider) {
	if p.BaseURL != "" {
		e.vendor.BaseURL = p.BaseURL
	}
	if p.Wire != "" {
		e.vendor.Wire = p.Wire
	}
	if e.vendor.Wire == "" {
		e.vendor.Wire = "chat"
	}
	e.vendor.Name = p.Name
	e.secret, e.chosen, e.lineage = p.Key, p.Model, p.Lineage
}

func provider(cfg *config.Config, name string) (config.Provider, bool) {
	for _, p := range cfg.Providers() {
		if p.Name == name {
			return p, true
		}
	}
	return config.Provider{}, false
}

// reveal finds the key. A vendor that is not local and has none is an authentication failure.
func (e endpoint) reveal(a *app) (string, error) {
	key, err := e.secret.Reveal(os.LookupEnv)
	if err != nil {
		return "", failure.New(failure.ExitAuth, "auth", "seat "+e.vendor.Name+": "+err.Error(), "")
	}
	if key == "" && e.fromEnv != "" {
		key = environ(e.fromEnv)
	}
	if key == "" {
		if key, err = a.kept(e.vendor.Name); err != nil {
			return "", err
		}
	}
	if key == "" && !e.vendor.Local && len(e.vendor.KeyEnv) > 0 {
		return "", failure.New(failure.ExitAuth, "auth", "seat "+e.vendor.Name+" has no key",
			"socrates login "+e.vendor.Name+", or set "+e.vendor.KeyEnv[0]+", or providers."+e.vendor.Name+".key in your config")
	}
	a.out.Learn(key)
	return key, nil
}

// model makes the adapter for the endpoint's wire.
func (e endpoint) model(key string) llm.Model {
	switch e.vendor.Wire {
	case "messages":
		return anthropic.New(e.info, e.url, key)
	case "generate":
		return gemini.New(e.info, e.url, key)
	case "responses":
		return openai.New(e.info, e.url, key, openai.Responses)
	}
	return openai.New(e.info, e.url, key, openai.Chat)
}
