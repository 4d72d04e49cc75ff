package login

import (
	"context"
	"strings"

	"github.com/socrates-cli/socrates/internal/failure"
	"github.com/socrates-cli/socrates/internal/home"
	"github.com/socrates-cli/socrates/internal/keyring"
	"github.com/socrates-cli/socrates/internal/out"
)

// Keep keeps a key, and says where.
// Where the keyring fails the file is no silent fallback: saved says so, with the reason, and ends with the file.
func Keep(h *home.Home, info keyring.KeyInfo, key string) (_ keyring.KeyInfo, saved string, err error) {
	r, err := h.Keys.Keyring()
	if err != nil {
		return info, "", err
	}
	info, why, err := r.Set(info, key)
	if err != nil {
		return info, "", err
	}
	if info.Place != keyring.File {
		return info, "Saved in the system keyring.", nil
	}
	saved = "Saved in " + r.Path(info.Vendor) + ", readable only by you."
	if !r.Files {
		saved = "No keyring (" + h.Clean(failure.Because(why)) + "). " + saved
	}
	return info, saved, nil
}

// Save has the key of a vendor checked and kept, and says where; without a key the vendor makes one in a browser, and tell is told what
// the person has to do.
func Save(ctx context.Context, h *home.Home, vendor, key string, tell func(text string)) (said string, err error) {
	e, err := Access(h, vendor)
	if err != nil {
		return "", err
	}
	info := keyring.KeyInfo{Vendor: vendor, Kind: keyring.Key}
	if key == "" {
		info.Kind = keyring.OAuth
		if key, err = InBrowser(ctx, h, e, tell); err != nil {
			return "", err
		}
	}
	said, err = Check(ctx, h, e, &info, key, true)
	if err != nil {
		return "", err
	}
	_, saved, err := Keep(h, info, key)
	if err != nil {
		return "", err
	}
	said = vendor + ": " + strings.TrimSuffix(said, ".") + ". " + out.Homely(saved)
	if first := Before(e); first != "" {
		said += " It is not used while " + first + ", which takes precedence."
	}
	return said, nil
}

// Before is what gives a key before a kept one is looked for; empty: nothing.
func Before(e home.Endpoint) string {
	if !e.Secret.IsZero() {
		return "providers." + e.Vendor.Name + ".key is set"
	}
	if e.FromEnv != "" {
		return e.FromEnv + " is set"
	}
	return ""
}
