package home

import (
	"net/url"
	"os"
	"strings"

	"github.com/socrates-cli/socrates/internal/failure"
	"github.com/socrates-cli/socrates/internal/keyring"
)

// HubKey is what the token of a hub is called among the keys.
func (k *Keys) HubKey(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return ""
	}
	return "hub-" + strings.ReplaceAll(u.Hostname(), ":", "_") + "-" + u.Port()
}

// HubToken is the token for a hub: of the settings, if they are about this hub or about none, else the one that is kept. Empty: there is
// none.
func (k *Keys) HubToken(address string) (string, error) {
	cfg, err := k.home.Settings.Load()
	if err != nil {
		return "", err
	}
	token := ""
	if own := strings.TrimRight(cfg.String("hub.url"), "/"); own == "" || strings.EqualFold(own, address) {
		if token, err = cfg.Secret("hub.token").Reveal(os.LookupEnv); err != nil {
			return "", failure.New(failure.ExitAuth, "auth", "hub.token: "+err.Error(), "")
		}
	}
	if token != "" {
		k.home.Learn(token)
		return token, nil
	}
	r, err := k.Ring()
	if err != nil {
		return "", err
	}
	token, err = r.Get(k.HubKey(address))
	if err == keyring.ErrNone {
		return "", nil
	}
	if err != nil {
		return "", failure.New(failure.ExitAuth, "auth", "the token of the hub: "+err.Error(),
			"connect it again: socrates hub connect INVITATION")
	}
	k.home.Learn(token)
	return token, nil
}
