package setup

import (
	"context"
	"net/url"

	"github.com/socrates-cli/socrates/cmd/call"
	"github.com/socrates-cli/socrates/internal/failure"
)

// pastedCode asks the person for the code. There is no callback, so the vendor's page shows it. People paste the
// whole address as well, so the code is extracted from it.
func pastedCode(ctx context.Context, a *call.Call, page *url.URL, ask url.Values) (string, error) {
	page.RawQuery = ask.Encode()
	a.Out.Ask("Open this address in a browser and approve access:\n")
	a.Out.Ask(page.String() + "\n")
	code, err := askLine(ctx, a, "Paste the code shown there: ")
	if err == nil && code == "" {
		err = failure.Usage("no code given", "")
	}
	if u, bad := url.Parse(code); bad == nil && u.Query().Get("code") != "" { // the last address of the browser
		code = u.Query().Get("code")
	}
	return code, err
}
