package setup

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/socrates-cli/socrates/cmd/call"
	"github.com/socrates-cli/socrates/cmd/call/noun"
	"github.com/socrates-cli/socrates/internal/llm"
	"github.com/socrates-cli/socrates/internal/llm/cost"
	"github.com/socrates-cli/socrates/internal/out"
)

// newModels is the command models. Prices are USD per million tokens, as vendors publish them.
func newModels(a *call.Call) *cobra.Command {
	return noun.Noun[catalogueRow]{Call: a, Is: "known model", Are: "known models", Path: "socrates models",
		Head: fmt.Sprintf(modelLine, "seat", "tier", "lineage", "window", "$/M in", "$/M out"),
		Rows: noun.Found(func(context.Context, noun.Query) ([]catalogueRow, error) { return catalogueRows(a) }),
		Line: catalogueRow.line,
		Text: func(r catalogueRow) string { return r.Spec + " " + r.Lineage + " " + fmt.Sprint(r.Tiers) },
	}.Lists(&cobra.Command{Use: "models [WORDS]", Short: "List known models, prices and context windows",
		Long: `List the models in the catalogue with prices in USD per million tokens. WORDS filter the list. You
can use other models of a vendor by name, but their prices are unknown. Rows in a models.yaml next
to your config.yaml override the catalogue.`})
}

// catalogueRow is a model as `socrates models` shows it.
type catalogueRow struct {
	Spec    string     `json:"spec"`
	Vendor  string     `json:"vendor"`
	ID      string     `json:"id"`
	Tiers   []string   `json:"tiers"` // tiers of its vendor that stand for this model
	Lineage string     `json:"lineage"`
	Window  int        `json:"window"`
	Price   cost.Price `json:"price"`
}

// catalogueRows are all models of the catalogue.
func catalogueRows(a *call.Call) (rows []catalogueRow, _ error) {
	c, err := a.Home.Settings.Models()
	if err != nil {
		return nil, err
	}
	for _, v := range c.Vendors() {
		for _, m := range c.ModelsOf(v.Name) {
			row := catalogueRow{Spec: v.Name + ":" + m.ID, Vendor: v.Name, ID: m.ID, Lineage: m.Lineage, Window: m.Window, Price: m.Price,
				Tiers: []string{}}
			for _, t := range []llm.Tier{llm.Small, llm.Mid, llm.Big} {
				if v.Tiers[t] == m.ID {
					row.Tiers = append(row.Tiers, string(t))
				}
			}
			rows = append(rows, row)
		}
	}
	return rows, nil
}

const modelLine = "%-44s %-14s %-12s %8s %9s %9s\n"

// An unknown price is a question mark and not 0.
func (r catalogueRow) line() string {
	in, text, window := "?", "?", "?"
	if r.Price.Known {
		in, text = fmt.Sprintf("%.2f", r.Price.Input), fmt.Sprintf("%.2f", r.Price.Output)
	}
	if r.Window > 0 {
		window = out.Thousands(r.Window)
	}
	return fmt.Sprintf(modelLine, r.Spec, strings.Join(r.Tiers, ","), r.Lineage, window, in, text)
}
