package learn

import "fmt"

// lacks lists what there is too little data for, and how much is needed. The sentences are for people and are also in the JSON.
func (k *Knowledge) lacks(p Panel) []string {
	out := []string{}
	few := 0
	for _, m := range p.Models {
		if m.Counts == 0 {
			few++
		}
	}
	if few > 0 || len(p.Models) == 0 {
		out = append(out, fmt.Sprintf("accuracy: a model's record counts from %d outcomes on", leastSeat))
	}
	counted := 0
	for _, e := range p.Pairs {
		if e.Counts {
			counted++
		}
	}
	if counted == 0 && len(p.Pairs) > 0 {
		out = append(out, fmt.Sprintf("shared errors: two families need %d outcomes in common, with more errors in common than chance",
			leastPair))
	}
	for _, j := range p.Judges {
		if j.Ratio == nil {
			out = append(out, "judges: a model's judgements need 100 outcomes or controls of each kind; until then they count 3:1")
			break
		}
	}
	if p.Calibrated == nil {
		out = append(out, fmt.Sprintf("calibration: %d of 50 decided outcomes", p.Decided))
	}
	return out
}
