package setting

import (
	"slices"
)

// PresetFields are the fields of a preset and the settings they stand for. A field whose name ends another's comes after it:
// a variable's name is read from the first that fits.
var PresetFields = append(workFields(), []Field{
	{"seats", "seats"}, {"tiers", "debate.tier"}, {"effort", "debate.effort"}, {"strategy", "debate.strategy"},
	{"economy", "debate.economy"}, {"rounds", "debate.rounds"}, {"seat_timeout", "debate.seat_timeout"},
	{"timeout", "debate.timeout"}, {"checking", "debate.checking"}, {"judge", "debate.judge"}, {"moderator", "debate.moderator"},
	{"budget", "debate.budget_usd"}, {"checks", "checks.commands"},
}...)

// Field is a field of a preset, and the setting it stands for.
type Field struct{ Field, Key string }

// presetRows are the rows of the table for the fields of a preset: each as the row of its setting among rows.
// A preset's field has the checks and choices of its setting and none of its default: unset means unchanged.
func presetRows(rows []Row) []Row {
	out := []Row{{Key: "presets.<name>.doc", Type: Text, Project: userOnly, Doc: "Purpose of the preset, in one line."}}
	for _, f := range PresetFields {
		row := rows[slices.IndexFunc(rows, func(s Row) bool { return s.Key == f.Key })]
		row.Key, row.Default, row.Project = "presets.<name>."+f.Field, "", userOnly
		row.Doc = "Value of " + f.Key + " in this preset. Unset: unchanged."
		out = append(out, row)
	}
	return out
}
