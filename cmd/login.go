package cmd

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/socrates-cli/socrates/internal/config"
	"github.com/socrates-cli/socrates/internal/failure"
	"github.com/socrates-cli/socrates/internal/home"
	"github.com/socrates-cli/socrates/internal/keyring"
	"github.com/socrates-cli/socrates/internal/llm/cli"
)

// signsIn is the vendor that makes a key for whoever agrees in a browser.
const signsIn = "openrouter"

// loginFlags say where a key comes from.
type loginFlags struct {
	stdin, paste, unchecked bool
	env, file               string
}

func newLogin(a *app) *cobra.Command {
	var how loginFlags
	c := &cobra.Command{Use: "login [VENDOR]", Short: "Keep a vendor's key, or sign in to OpenRouter with the browser",
		Long: `Keep the key of a vendor for its seats: in the keyring of the system, or where there is none in
a file only you can read. OpenRouter makes a key when you agree in the browser; the other
vendors' keys are typed unseen. --env and --file keep no key but where to find it.

A key in your config counts first, then the vendor's variable, then what is kept here.
Programs such as claude and codex have a login of their own, which is never touched.`,
		Example: `  socrates login openrouter
  socrates login openai
  socrates login anthropic --key-stdin < key.txt
  socrates login mistral --env WORK_MISTRAL_KEY`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) > 1 {
				return failure.Usage("login takes one vendor",
					"a key is not given as an argument, where others could see it; it is typed, or piped to --key-stdin")
			}
			return nil
		},
		ValidArgsFunction: a.completeVendors}
	f := c.Flags()
	f.BoolVar(&how.stdin, "key-stdin", false, "read the key from stdin")
	f.StringVar(&how.env, "env", "", "use what this `variable` holds whenever the key is needed")
	f.StringVar(&how.file, "file", "", "use what this `file` holds whenever the key is needed")
	f.BoolVar(&how.paste, "paste", false, "the browser is elsewhere: show the address, and take the code it shows")
	f.BoolVar(&how.unchecked, "no-check", false, "do not ask the vendor whether the key works")
	c.RunE = func(c *cobra.Command, args []string) error {
		if err := how.check(); err != nil {
			return err
		}
		name := ""
		if len(args) > 0 {
			name = args[0]
		}
		return a.login(c.Context(), name, how)
	}
	c.AddCommand(newLoginStatus(a))
	return c
}

// completeVendors gives the shell whose keys can be kept.
func (a *app) completeVendors(c *cobra.Command, _ []string, _ string) ([]string, cobra.ShellCompDirective) {
	return a.complete(c, func(context.Context) ([]string, error) { return a.keyedNames(), nil })
}

func (how loginFlags) check() error {
	ways := 0
	for _, given := range []bool{how.stdin, how.paste, how.env != "", how.file != ""} {
		if given {
			ways++
		}
	}
	if ways > 1 {
		return failure.Usage("--key-stdin, --env, --file and --paste exclude each other", "")
	}
	return nil
}

// keyedNames are the vendors and providers that may have a key.
func (a *app) keyedNames() []string {
	c, err := a.home.Settings.Models()
	if err != nil {
		return nil
	}
	cfg, err := a.home.Settings.Load()
	if err != nil {
		return nil
	}
	var names []string
	for _, v := range c.Vendors() {
		if len(v.KeyEnv) > 0 {
			names = append(names, v.Name)
		}
	}
	for _, p := range cfg.Providers() {
		if !slices.Contains(names, p.Name) {
			names = append(names, p.Name)
		}
	}
	return names
}

// accessToLogin is the endpoint of a vendor whose key can be kept.
func (a *app) accessToLogin(name string) (home.Endpoint, error) {
	if slices.Contains(a.keyedNames(), name) {
		e, err := a.home.Keys.Access(name)
		if err == nil && e.URL == "" {
			err = failure.Usage(name+" has no address", "set providers."+name+".base_url")
		}
		return e, err
	}
	if slices.ContainsFunc(cli.Programs, func(p cli.Program) bool { return p.Name == strings.TrimSuffix(name, "-cli") }) {
		return home.Endpoint{}, failure.Usage(name+" has its own login, which socrates uses and never touches",
			"sign in by starting it; keys are kept for: "+strings.Join(a.keyedNames(), ", "))
	}
	if _, err := a.home.Keys.Access(name); err == nil {
		return home.Endpoint{}, failure.Usage(name+" needs no key", "")
	}
	if _, err := a.home.Settings.Models(); err != nil {
		return home.Endpoint{}, err
	}
	if _, err := a.home.Settings.Load(); err != nil {
		return home.Endpoint{}, err
	}
	return home.Endpoint{}, failure.Usage("there is no vendor "+name, failure.Nearest(name, a.keyedNames()))
}

// login finds a key, asks its vendor whether it works, and keeps it.
func (a *app) login(ctx context.Context, name string, how loginFlags) error {
	if name == "" {
		var err error
		if name, err = a.chooseVendor(ctx, how); err != nil {
			return err
		}
	}
	e, err := a.accessToLogin(name)
	if err != nil {
		return err
	}
	if how.paste && name != signsIn {
		return failure.Usage("--paste is for signing in to "+signsIn, name+" has keys: leave it out")
	}
	if how.env != "" || how.file != "" {
		return a.refer(ctx, e, how)
	}
	entry := keyring.Entry{Vendor: name, Kind: keyring.Key}
	key, said, err := a.obtain(ctx, e, &entry, how)
	if err != nil {
		return err
	}
	entry, place, err := a.keepKey(entry, key)
	if err != nil {
		return err
	}
	if a.out.Format != "text" {
		return a.out.JSON(struct {
			keyring.Entry
			Check string `json:"check"`
		}{entry, said})
	}
	a.out.Tell(fmt.Sprintf("%s: %s\nIt is kept in %s.\n", name, said, place))
	if first := before(e); first != "" {
		a.out.Tell("It is not used as long as " + first + ", which counts first.\n")
	}
	return nil
}

// keepKey keeps a key, and says where.
func (a *app) keepKey(entry keyring.Entry, key string) (_ keyring.Entry, place string, err error) {
	r, err := a.home.Keys.Ring()
	if err != nil {
		return entry, "", err
	}
	entry, why, err := r.Set(entry, key)
	if err != nil {
		return entry, "", err
	}
	if entry.Place != keyring.File {
		return entry, "the keyring of the system", nil
	}
	return entry, fmt.Sprintf("%s, which only you can read (not in the keyring: %s)", r.Path(entry.Vendor),
		a.out.Clean(failure.Because(why))), nil
}

// screenLogin keeps a key that was typed on the screen; without one the vendor makes it in a browser.
func (a *app) screenLogin(ctx context.Context, vendor, key string, tell func(string)) (string, error) {
	e, err := a.accessToLogin(vendor)
	if err != nil {
		return "", err
	}
	entry := keyring.Entry{Vendor: vendor, Kind: keyring.Key}
	if key == "" {
		entry.Kind = keyring.OAuth
		if key, err = a.signIn(ctx, e, tell); err != nil {
			return "", err
		}
	}
	said, err := a.checkKey(ctx, e, &entry, key, loginFlags{})
	if err != nil {
		return "", err
	}
	_, place, err := a.keepKey(entry, key)
	if err != nil {
		return "", err
	}
	said = vendor + ": " + said + " It is kept in " + homely(place) + "."
	if first := before(e); first != "" {
		said += " It is not used as long as " + first + ", which counts first."
	}
	return said, nil
}

// before is what gives a key before a kept one is looked for; empty: nothing.
func before(e home.Endpoint) string {
	if !e.Secret.IsZero() {
		return "providers." + e.Vendor.Name + ".key is set"
	}
	if e.FromEnv != "" {
		return e.FromEnv + " is set"
	}
	return ""
}

// obtain gets a key from the person, or from the vendor with the person's consent, and has it checked. An interrupt ends it.
func (a *app) obtain(ctx context.Context, e home.Endpoint, entry *keyring.Entry, how loginFlags) (key, said string, err error) {
	ctx, end := a.ended(ctx)
	defer end()
	switch {
	case how.stdin:
		key, err = a.pipedKey(ctx)
	case !a.typing():
		return "", "", failure.Usage("nobody sits at a terminal here to log in to "+e.Vendor.Name,
			"pipe the key to: socrates login "+e.Vendor.Name+" --key-stdin; or say where it is with --env NAME or --file PATH")
	case how.paste:
		key, err = a.signInBy(ctx, e, a.pastedCode)
		entry.Kind = keyring.OAuth
	case e.Vendor.Name == signsIn:
		a.out.Tell("If your browser is on another machine, stop this and add --paste.\n")
		key, err = a.signIn(ctx, e, a.out.Tell)
		entry.Kind = keyring.OAuth
	default:
		key, err = a.typedKey(ctx, "Key of "+e.Vendor.Name+", which is not shown: ")
	}
	if err != nil {
		return "", "", err
	}
	said, err = a.checkKey(ctx, e, entry, key, how)
	return key, said, err
}

// checkKey asks a vendor whether a key works, and says what came of it.
func (a *app) checkKey(ctx context.Context, e home.Endpoint, entry *keyring.Entry, key string, how loginFlags) (said string, err error) {
	a.out.Learn(key)
	if err := keyring.Check(key); err != nil {
		return "", failure.Usage("that is no key: "+err.Error(), "")
	}
	entry.Expires, said, err = tryKey(e, ctx, key, how)
	return said, err
}

// refer writes down where the key of a vendor is.
func (a *app) refer(ctx context.Context, e home.Endpoint, how loginFlags) error {
	reference, said := "env:"+how.env, "not checked."
	if how.file != "" {
		path, err := filepath.Abs(how.file)
		if err != nil {
			return err
		}
		reference = "file:" + path
	}
	secret, err := config.ParseSecret(reference)
	if err != nil {
		return failure.Usage(err.Error(), "")
	}
	key, err := secret.Reveal(os.LookupEnv)
	switch {
	case err != nil && how.file != "":
		return failure.Usage(err.Error(), "")
	case err != nil:
		said = how.env + " is not set here, so it is not checked."
	default:
		a.out.Learn(key)
		if _, said, err = tryKey(e, ctx, key, how); err != nil {
			return err
		}
	}
	file, err := a.home.Settings.File()
	if err != nil {
		return err
	}
	if err := config.Set(file, "providers."+e.Vendor.Name+".key", reference); err != nil {
		return err
	}
	if a.out.Format != "text" {
		return a.out.JSON(map[string]string{"vendor": e.Vendor.Name, "place": "config", "reference": reference, "check": said})
	}
	a.out.Tell(fmt.Sprintf("%s: %s\nNo key is kept: %s is written to %s.\n", e.Vendor.Name, said, reference, file))
	return nil
}

// chooseVendor lets a person at a terminal choose.
func (a *app) chooseVendor(ctx context.Context, how loginFlags) (string, error) {
	names := a.keyedNames()
	if !a.typing() || how != (loginFlags{unchecked: how.unchecked, paste: how.paste}) {
		return "", failure.Usage("login takes a vendor here", "one of "+strings.Join(names, ", "))
	}
	rows, err := a.keyRows()
	if err != nil {
		return "", err
	}
	for i, name := range names {
		has := ""
		if j := slices.IndexFunc(rows, func(r keyRow) bool { return r.Vendor == name && r.State == keyUsed }); j >= 0 {
			has = "has a key: " + cmp.Or(rows[j].Reference, keyring.Place(rows[j].Source).Words())
		} else if name == signsIn {
			has = "signs in with the browser"
		}
		a.out.Tell(strings.TrimRight(fmt.Sprintf("%3d  %-12s %s", i+1, name, has), " ") + "\n")
	}
	ctx, end := a.ended(ctx)
	defer end()
	line, err := a.typedLine(ctx, "Which one, by number or name? ")
	if err != nil {
		return "", err
	}
	if n, err := strconv.Atoi(line); err == nil && n >= 1 && n <= len(names) {
		return names[n-1], nil
	}
	if line == "" {
		return "", failure.Usage("no vendor was chosen", "")
	}
	return line, nil
}
