package debate

import "strings"

// What stands at the top and the bottom of everything a panel says in which no model took part.
const (
	rehearsalNotice = "Rehearsal: no model took part. Three rule-based seats searched this folder and quoted what they found."
	simulatedNotice = "Simulated: no model took part. Simulated seats know the right answer and err at their assumed rate."
)

// Notice is what must be said wherever a seat of this spec takes part; empty: a model answers for it.
func Notice(spec string) string {
	switch {
	case strings.HasPrefix(spec, "rehearsal"):
		return rehearsalNotice
	case strings.HasPrefix(spec, "sim:"):
		return simulatedNotice
	}
	return ""
}
