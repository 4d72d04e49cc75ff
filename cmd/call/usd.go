package call

import (
	"strconv"

	"github.com/spf13/pflag"

	"github.com/socrates-cli/socrates/internal/budget"
)

// USDType is the type of flags for dollars: what help shows after their names.
const USDType = "USD"

// USD defines a flag for an amount of dollars, as budget.ParseUSD reads it; without it the amount stays as it is.
func USD(to *pflag.FlagSet, amount *float64, name, usage string) { to.Var((*usd)(amount), name, usage) }

type usd float64

// Set implements pflag.Value.
func (u *usd) Set(text string) error {
	x, err := budget.ParseUSD(text)
	if err == nil {
		*u = usd(x)
	}
	return err
}

// String implements pflag.Value.
func (u *usd) String() string { return strconv.FormatFloat(float64(*u), 'g', -1, 64) }

// Type implements pflag.Value.
func (u *usd) Type() string { return USDType }
