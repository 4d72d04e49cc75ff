package setup

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/socrates-cli/socrates/cmd/call"
	"github.com/socrates-cli/socrates/internal/config"
	"github.com/socrates-cli/socrates/internal/config/setting"
	"github.com/socrates-cli/socrates/internal/failure"
	"github.com/socrates-cli/socrates/internal/home"
	"github.com/socrates-cli/socrates/internal/keyring"
	"github.com/socrates-cli/socrates/internal/login"
)

// loginFlags say where a key comes from.
// At most one of stdin, paste, env and file may be set; see check.
type loginFlags struct {
	stdin, paste, unchecked bool
	env, file               string
}

// newLogin returns the command login. It exits with 4 if the vendor rejects the key or the sign-in, and then keeps
// nothing, and with 0 if the key could not be checked: a person without network must be able to keep one.
func newLogin(a *call.Call) *cobra.Command {
	var how loginFlags
	c := &cobra.Command{Use: "login [VENDOR]", Short: "Add an API key or sign in",
		Long: `Save a vendor's API key in the system keyring or, without a keyring, in a file only you can
read. OpenRouter creates a key when you approve it in the browser; other vendors' keys are typed
and not shown. --env and --file save only where to find the key.

A key in your config takes precedence, then the vendor's environment variable, then the saved
key. Programs such as claude and codex have their own login, which Socrates never touches.`,
		Example: `  socrates login openrouter
  socrates login openai
  socrates login anthropic --key-stdin < key.txt
  socrates login mistral --env WORK_MISTRAL_KEY`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) > 1 {
				return failure.Usage("login takes one vendor",
					"do not pass a key as an argument, where others could see it; type it, or pipe it to --key-stdin")
			}
			return nil
		},
		ValidArgsFunction: func(c *cobra.Command, args []string, begun string) ([]string, cobra.ShellCompDirective) {
			return completeVendors(a, c, args, begun)
		}}
	f := c.Flags()
	f.BoolVar(&how.stdin, "key-stdin", false, "read the key from stdin")
	f.StringVar(&how.env, "env", "", "read the key from this environment `variable`")
	f.StringVar(&how.file, "file", "", "read the key from this `file`")
	f.BoolVar(&how.paste, "paste", false, "use a browser elsewhere: paste its code")
	f.BoolVar(&how.unchecked, "no-check", false, "do not check the key with the vendor")
	c.RunE = func(c *cobra.Command, args []string) error {
		if err := how.check(); err != nil {
			return err
		}
		// Only somebody who gave no arguments is led through the ways; flags mean a key.
		if len(args) == 0 && how == (loginFlags{}) && a.Home.Seats.NoModels(c.Context()) { // keys are only one of the ways
			connected, err := a.Connected(c.Context(), home.ErrNoModel, "Enter leaves")
			if connected || !errors.Is(err, home.ErrNoModel) {
				return err
			}
		}
		name := ""
		if len(args) > 0 {
			name = args[0]
		}
		return loginTo(c.Context(), a, name, how)
	}
	c.AddCommand(newLoginStatus(a))
	return c
}

// completeVendors offers the vendors whose keys can be kept.
func completeVendors(a *call.Call, c *cobra.Command, _ []string, _ string) ([]string, cobra.ShellCompDirective) {
	return a.Complete(c, func(context.Context) ([]string, error) { return login.Vendors(a.Home), nil })
}

// check refuses more than one source of a key.
func (how loginFlags) check() error {
	ways := 0
	for _, given := range []bool{how.stdin, how.paste, how.env != "", how.file != ""} {
		if given {
			ways++
		}
	}
	if ways > 1 {
		return failure.Usage("use only one of --key-stdin, --env, --file and --paste", "")
	}
	return nil
}

// loginTo gets a key, asks its vendor whether it works, and keeps it. The key is checked before it is kept, so a typo
// does not replace a key that works.
func loginTo(ctx context.Context, a *call.Call, name string, how loginFlags) error {
	if name == "" {
		var err error
		if name, err = chooseVendor(ctx, a, how); err != nil {
			return err
		}
	}
	e, err := login.Access(a.Home, name)
	if err != nil {
		return err
	}
	if how.paste && name != home.SignsIn {
		return failure.Usage("--paste works only with "+home.SignsIn, "leave it out: socrates login "+name)
	}
	if how.env != "" || how.file != "" {
		return refer(ctx, a, e, how)
	}
	info := keyring.KeyInfo{Vendor: name, Kind: keyring.Key}
	key, said, err := obtain(ctx, a, e, &info, how)
	if err != nil {
		return err
	}
	info, saved, err := login.Keep(a.Home, info, key)
	if err != nil {
		return err
	}
	if a.Out.Format != "text" {
		return a.Out.JSON(struct {
			keyring.KeyInfo
			Check string `json:"check"`
		}{info, said})
	}
	a.Out.Tell(fmt.Sprintf("%s: %s\n%s\n", name, said, saved))
	// A key that is kept but not used would look like one that does not work.
	if first := login.Before(e); first != "" {
		a.Out.Tell("It is not used while " + first + ", which takes precedence.\n")
	}
	if typing(a) {
		propose(ctx, a)
	}
	return nil
}

// obtain gets a key from the person, or from the vendor with the person's consent, and checks it. An interrupt ends
// it.
func obtain(ctx context.Context, a *call.Call, e home.Endpoint, info *keyring.KeyInfo, how loginFlags) (key, said string, err error) {
	ctx, end := a.Ended(ctx)
	defer end()
	switch {
	case how.stdin:
		key, err = pipedKey(ctx, a)
	// Do not ask for a key where the terminal cannot hide it.
	case !typing(a):
		return "", "", failure.Usage("cannot ask for the "+e.Vendor.Name+" key: not a terminal",
			"pipe the key to: socrates login "+e.Vendor.Name+" --key-stdin; or give its location with --env NAME or --file PATH")
	case how.paste:
		key, err = login.By(ctx, a.Home, e, func(ctx context.Context, page *url.URL, ask url.Values) (string, error) {
			return pastedCode(ctx, a, page, ask)
		})
		info.Kind = keyring.OAuth
	case e.Vendor.Name == home.SignsIn:
		// People sit at a shell of another machine more often than one thinks.
		a.Out.Ask("If your browser is on another machine, press ctrl-C and add --paste.\n")
		key, err = login.InBrowser(ctx, a.Home, e, a.Out.Tell)
		info.Kind = keyring.OAuth
	default:
		key, err = typedKey(ctx, a, "API key for "+e.Vendor.Name+" (hidden while you type): ")
	}
	if err != nil {
		return "", "", err
	}
	said, err = login.Check(ctx, a.Home, e, info, key, !how.unchecked)
	return key, said, err
}

// refer records where the key of a vendor is. A variable that is not set here may be set where debates run, so it is
// kept unchecked; a file that cannot be read is refused.
func refer(ctx context.Context, a *call.Call, e home.Endpoint, how loginFlags) error {
	reference, said := "env:"+how.env, "not checked."
	if how.file != "" {
		path, err := filepath.Abs(how.file)
		if err != nil {
			return err
		}
		reference = "file:" + path
	}
	secret, err := setting.ParseSecret(reference)
	if err != nil {
		return failure.Usage(err.Error(), "")
	}
	key, err := secret.Reveal(os.LookupEnv)
	switch {
	// A file that cannot be read now will hardly be readable later.
	case err != nil && how.file != "":
		return failure.Usage(err.Error(), "")
	case err != nil:
		said = how.env + " is not set here, so the key was not checked."
	default:
		a.Out.Learn(key)
		if _, said, err = login.Try(ctx, e, key, !how.unchecked); err != nil {
			return err
		}
	}
	file, err := a.Home.Settings.File()
	if err != nil {
		return err
	}
	if err := config.Set(file, "providers."+e.Vendor.Name+".key", reference); err != nil {
		return err
	}
	if a.Out.Format != "text" {
		return a.Out.JSON(map[string]string{"vendor": e.Vendor.Name, "place": "config", "reference": reference, "check": said})
	}
	a.Out.Tell(fmt.Sprintf("%s: %s\nSaved the reference %s to %s; the key itself is not stored.\n", e.Vendor.Name, said, reference, file))
	return nil
}

// chooseVendor asks a person at a terminal.
func chooseVendor(ctx context.Context, a *call.Call, how loginFlags) (string, error) {
	names := login.Vendors(a.Home)
	if !typing(a) || how != (loginFlags{unchecked: how.unchecked, paste: how.paste}) {
		return "", failure.Usage("no vendor given", "name one of: "+strings.Join(names, ", "))
	}
	rows, err := keyRows(a)
	if err != nil {
		return "", err
	}
	for i, name := range names {
		has := ""
		if j := slices.IndexFunc(rows, func(r keyRow) bool { return r.Vendor == name && r.State == keyUsed }); j >= 0 {
			has = "has a key: " + cmp.Or(rows[j].Reference, keyring.Storage(rows[j].Source).Words())
		} else if name == home.SignsIn {
			has = "sign in with the browser"
		}
		a.Out.Ask(strings.TrimRight(fmt.Sprintf("%3d  %-12s %s", i+1, name, has), " ") + "\n")
	}
	ctx, end := a.Ended(ctx)
	defer end()
	line, err := askLine(ctx, a, "Vendor (number or name): ")
	if err != nil {
		return "", err
	}
	if n, err := strconv.Atoi(line); err == nil && n >= 1 && n <= len(names) {
		return names[n-1], nil
	}
	if line == "" {
		return "", failure.Usage("no vendor chosen", "")
	}
	return line, nil
}
