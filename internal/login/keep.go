package login

import (
	"context"
	"fmt"
	"strings"

	"github.com/socrates-cli/socrates/internal/failure"
	"github.com/socrates-cli/socrates/internal/home"
	"github.com/socrates-cli/socrates/internal/keyring"
	"github.com/socrates-cli/socrates/internal/out"
)

// Keep keeps a key, and says where.
// Where the keyring fails the file is no silent fallback: place says so, with the reason.
func Keep(h *home.Home, info keyring.KeyInfo, key string) (_ keyring.KeyInfo, place string, err error) {
	r, err := h.Keys.Ring()
	if err != nil {
		return info, "", err
	}
	info, why, err := r.Set(info, key)
	if err != nil {
		return info, "", err
	}
	if info.Place != keyring.File {
		return info, "the system keyring", nil
	}
	return info, fmt.Sprintf("%s, readable only by you (the keyring was unavailable: %s)", r.Path(info.Vendor),
		h.Clean(failure.Because(why))), nil
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
	_, place, err := Keep(h, info, key)
	if err != nil {
		return "", err
	}
	said = vendor + ": " + strings.TrimSuffix(said, ".") + ". Saved in " + out.Homely(place) + "."
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
