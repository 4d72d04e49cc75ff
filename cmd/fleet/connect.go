package fleet

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/socrates-cli/socrates/cmd/call"
	"github.com/socrates-cli/socrates/internal/failure"
	"github.com/socrates-cli/socrates/internal/fleet/invitation"
	"github.com/socrates-cli/socrates/internal/home"
	"github.com/socrates-cli/socrates/internal/keyring"
	"github.com/socrates-cli/socrates/internal/mirror"
)

// connect returns the command that makes a hub on another machine known to a person's programs.
func (c *commands) connect() *cobra.Command {
	pin := ""
	cmd := &cobra.Command{Use: "connect INVITATION | URL", Short: "Use a hub on another machine from here",
		Long: `Save the address of a hub on another machine, the fingerprint of its certificate, and your token.
The token goes into the keyring. Afterwards, commands with --hub URL use that hub.

The invitation comes from whoever runs the hub; - reads it from stdin. With a URL, the token is
hub.token of your settings (SOCRATES_HUB_TOKEN), and the certificate must be one that this machine
trusts, or have the --fingerprint that the hub prints when it starts.`,
		Example: `  socrates hub connect - < invitation
  socrates debate list --hub https://desk:4937
  socrates config set hub.url https://desk:4937`,
		Args: cobra.ExactArgs(1), RunE: func(cmd *cobra.Command, args []string) error {
			return c.connectTo(cmd.Context(), args[0], strings.ToLower(strings.ReplaceAll(pin, ":", "")))
		}}
	cmd.Flags().StringVar(&pin, "fingerprint", "", "`fingerprint` of the hub's certificate authority, for a URL")
	call.Unattended(cmd)
	return cmd
}

// longestInvitation limits the size of an invitation, in bytes.
const longestInvitation = 16 << 10

// invited parses an invitation, or makes one from an address and the pin.
func (c *commands) invited(text, pin string) (i invitation.Invitation, err error) {
	if text == "-" { // other programs can see a command line
		raw, err := io.ReadAll(io.LimitReader(c.In, longestInvitation))
		if err != nil {
			return i, err
		}
		text = string(raw)
	}
	const hint = "ask whoever runs the hub for an invitation: socrates hub person add NAME"
	if invitation.Is(text) {
		if i, err = invitation.Parse(text); err == nil && pin != "" && pin != i.Authority {
			err = errors.New("the invitation is for a hub with a different fingerprint")
		}
		if err != nil {
			return i, failure.Usage(err.Error(), hint)
		}
		c.Out.Learn(i.Token)
		return i, nil
	}
	if text = strings.TrimSpace(text); !strings.ContainsAny(text, ":.") {
		return i, failure.Usage(fmt.Sprintf("%.40q is neither an invitation nor the address of a hub", text), hint)
	}
	if !strings.Contains(text, "://") {
		text = "https://" + text
	}
	if i.URL, err = invitation.Address(text); err != nil {
		return i, failure.Usage(err.Error(), hint)
	}
	if i.Authority = pin; pin != "" && !invitation.Fingerprint(pin) {
		return i, failure.Usage("--fingerprint is not a fingerprint: it has 64 digits and letters from a to f",
			"the hub prints it when it starts")
	}
	i.Token, err = c.Home.Keys.HubToken(i.URL)
	if err == nil && i.Token == "" {
		err = failure.New(failure.ExitAuth, "auth", "no token for "+i.URL, hint+"; or set SOCRATES_HUB_TOKEN")
	}
	return i, err
}

func (c *commands) connectTo(ctx context.Context, text, pin string) error {
	i, err := c.invited(text, pin)
	if err != nil {
		return err
	}
	data, err := home.DataFolder()
	if err != nil {
		return err
	}
	h := mirror.New(data, mirror.Link{URL: i.URL, Authority: i.Authority}, i.Token)
	if err := h.Connect(ctx); err != nil {
		return err
	}
	r, err := c.Home.Keys.Keyring()
	if err != nil {
		return err
	}
	kept, _, err := r.Set(keyring.KeyInfo{Vendor: c.Home.Keys.HubKey(i.URL), Kind: keyring.Key}, i.Token)
	if err != nil {
		return failure.New(failure.ExitFailed, "keyring", "the token cannot be saved: "+err.Error(), "")
	}
	return c.Out.Done(map[string]string{"connected": i.URL}, "Connected to "+i.URL+"; the token is in the "+kept.Place.Words()+
		".\nUse it with: socrates debate list --hub "+i.URL+"\nWithout --hub from now on: socrates config set hub.url "+i.URL)
}

// leave returns the command that forgets a hub.
func (c *commands) leave() *cobra.Command {
	return &cobra.Command{Use: "leave URL", Short: "Forget a hub: its token and the copy of its store",
		Args: cobra.ExactArgs(1), ValidArgsFunction: c.Offer(1, func(context.Context, string) (names []string, err error) {
			data, err := home.DataFolder()
			if err != nil {
				return nil, err
			}
			list, err := mirror.List(data)
			for _, l := range list {
				names = append(names, l.URL)
			}
			return names, err
		}), RunE: func(_ *cobra.Command, args []string) error { return c.leaveHub(args[0]) }}
}

func (c *commands) leaveHub(text string) error {
	if !strings.Contains(text, "://") {
		text = "https://" + text
	}
	address, err := invitation.Address(text)
	if err != nil {
		return failure.Usage(err.Error(), "")
	}
	data, err := home.DataFolder()
	if err != nil {
		return err
	}
	h := mirror.New(data, mirror.Link{URL: address}, "")
	r, err := c.Home.Keys.Keyring()
	if err != nil {
		return err
	}
	gone := r.Delete(c.Home.Keys.HubKey(address))
	if gone != nil && !errors.Is(gone, keyring.ErrNone) {
		return failure.New(failure.ExitFailed, "keyring", gone.Error(), "")
	}
	if gone != nil && !h.Connected() {
		return failure.Usage("no hub "+address+" is connected", "")
	}
	if err := h.Forget(); err != nil {
		return err
	}
	return c.Out.Done(map[string]string{"left": address},
		"Forgot "+address+". Your token there stays valid until it is revoked on the hub.")
}
