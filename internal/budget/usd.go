package budget

import (
	"fmt"
	"strconv"
	"strings"
)

// MostUSD is the highest amount of dollars that a person can set as a limit.
const MostUSD = 1e6

// ParseUSD parses an amount of dollars, 0 to MostUSD, with or without a dollar sign. What is not a number is an error: as a limit it
// would limit nothing.
func ParseUSD(text string) (float64, error) {
	x, err := strconv.ParseFloat(strings.TrimPrefix(strings.TrimSpace(text), "$"), 64)
	if err != nil || !(x >= 0 && x <= MostUSD) {
		return 0, fmt.Errorf("%q is not an amount of dollars, 0 to %.0f", text, MostUSD)
	}
	return x, nil
}

// USD is an amount of dollars as the value of a flag; the zero value is 0.
type USD float64

// Set implements pflag.Value with ParseUSD.
func (u *USD) Set(text string) error {
	x, err := ParseUSD(text)
	if err == nil {
		*u = USD(x)
	}
	return err
}

// String implements pflag.Value.
func (u *USD) String() string { return strconv.FormatFloat(float64(*u), 'g', -1, 64) }

// Type implements pflag.Value: help shows it after the flag's name.
func (u *USD) Type() string { return "USD" }
