package budget

import "testing"

func TestParseUSD(t *testing.T) {
	for text, want := range map[string]float64{"0": 0, "2": 2, "0.05": .05, " $1.5 ": 1.5, "1e6": 1e6} {
		if got, err := ParseUSD(text); err != nil || got != want {
			t.Errorf("%q: %v, %v", text, got, err)
		}
	}
	for _, text := range []string{"", "$", "x", "NaN", "nan", "Inf", "-Inf", "+inf", "-1", "-0.01", "1e7", "1,5", "1e999"} {
		if got, err := ParseUSD(text); err == nil {
			t.Errorf("%q is taken for %v", text, got)
		}
	}
}
