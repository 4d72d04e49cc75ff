// Package catalogue is the catalogue of vendors and their models: protocols, prices, windows, tiers.
//
// The built-in file models.yaml consists of rows; a person's file in the same form overrides it row by row and field
// by field, so it contains only what differs ([Load]). [Catalogue.Resolve] turns a vendor and a tier or model id into
// what adapters need. A model that is not listed works: its window and price are unknown. A Catalogue does not change
// once loaded and is safe for concurrent use.
package catalogue

import (
	"bytes"
	"cmp"
	_ "embed"
	"errors"
	"fmt"
	"io"
	"reflect"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/socrates-cli/socrates/internal/llm"
	"github.com/socrates-cli/socrates/internal/llm/cost"
)

//go:embed models.yaml
var builtinModels []byte

// Vendor is a service that can be asked for models.
type Vendor struct {
	Name       string              `yaml:"name"`
	Lineage    string              `yaml:"lineage"` // of its own models; empty if it serves many
	Wire       string              `yaml:"wire"`    // the protocol, one of wires
	BaseURL    string              `yaml:"base_url"`
	BaseURLEnv []string            `yaml:"base_url_env"` // variables that replace BaseURL; the first that is set
	KeyEnv     []string            `yaml:"key_env"`      // variables that may hold the key; the first that is set
	Local      bool                `yaml:"local"`        // runs on this machine: free, and no key needed
	Tiers      map[llm.Tier]string `yaml:"tiers"`        // the id of the model to take for a tier
	Efforts    string              `yaml:"efforts"`      // as Info.Efforts, for models that have none of their own
	PDF        bool                `yaml:"pdf"`          // its models take PDFs, in the wire's own form
}

// wires are the protocols a vendor may speak. A cloud speaks those of its models' makers.
var wires = []string{"messages", "responses", "chat", "generate", "bedrock", "vertex"}

// Cloud reports whether the vendor is a cloud, whose own credentials authorize requests.
func (v Vendor) Cloud() bool { return v.Wire == "bedrock" || v.Wire == "vertex" }

// Catalogue holds what is known about vendors and their models. Make one with Load.
type Catalogue struct{ rows rows }

// rows is the layout of the file.
type rows struct {
	Vendors  []Vendor
	Models   []modelRow
	Lineages []lineageRow
}

// modelRow is a model as the file describes it.
type modelRow struct {
	Vendor  string    `yaml:"vendor"`
	ID      string    `yaml:"id"`
	Lineage string    `yaml:"lineage"`
	Tier    llm.Tier  `yaml:"tier"`
	Window  int       `yaml:"window"`
	Output  int       `yaml:"output"`
	Efforts string    `yaml:"efforts"`
	Price   *priceRow `yaml:"price"`
}

// priceRow is in dollars per million tokens. Cached tokens cost the same as input unless the row says otherwise.
type priceRow struct {
	Input      float64  `yaml:"input"`
	Output     float64  `yaml:"output"`
	CacheRead  *float64 `yaml:"cache_read"`
	CacheWrite *float64 `yaml:"cache_write"`
}

// lineageRow names the lineage of the models whose names begin with a prefix: models of one lineage share their
// errors.
type lineageRow struct {
	Prefix  string `yaml:"prefix"`
	Lineage string `yaml:"lineage"`
}

// Load reads the built-in catalogue and applies override, in the same form, row by row. override may be empty. An
// error names the line of override it is about.
func Load(override []byte) (*Catalogue, error) {
	c := new(Catalogue)
	if err := decodeStrictly(builtinModels, &c.rows); err != nil {
		return nil, fmt.Errorf("built-in models: %w", err)
	}
	if err := c.lay(override); err != nil {
		return nil, fmt.Errorf("models.yaml: %w", err)
	}
	return c, nil
}

// lay applies one file on top of what is there.
func (c *Catalogue) lay(file []byte) error {
	var nodes struct {
		Vendors, Models, Lineages []yaml.Node
	}
	if err := decodeStrictly(file, &nodes); err != nil {
		return errors.New(unknownKey(strings.ReplaceAll(strings.TrimPrefix(err.Error(), "yaml: unmarshal errors:\n  "), "\n", ";"),
			"valid: vendors, models, lineages"))
	}
	for _, n := range nodes.Vendors {
		var key struct{ Name string }
		n.Decode(&key)
		v := rowAt(&c.rows.Vendors, func(v Vendor) bool { return v.Name == key.Name })
		if err := layRow(&n, v); err != nil {
			return err
		}
		if v.Name == "" || !slices.Contains(wires, v.Wire) {
			return fmt.Errorf("line %d: a vendor needs a name and one of the protocols %s", n.Line, strings.Join(wires, ", "))
		}
	}
	for _, n := range nodes.Models {
		var key struct{ Vendor, ID string }
		n.Decode(&key)
		m := rowAt(&c.rows.Models, func(m modelRow) bool { return m.Vendor == key.Vendor && m.ID == key.ID })
		if err := layRow(&n, m); err != nil {
			return err
		}
		if _, ok := c.vendor(m.Vendor); !ok || m.ID == "" {
			return fmt.Errorf("line %d: a model needs an id and a known vendor, not %q", n.Line, m.Vendor)
		}
		if !m.Price.price().Valid() {
			return fmt.Errorf("line %d: the price of a model must be numbers, not negative", n.Line)
		}
	}
	for _, n := range nodes.Lineages {
		var key struct{ Prefix string }
		n.Decode(&key)
		l := rowAt(&c.rows.Lineages, func(l lineageRow) bool { return l.Prefix == key.Prefix })
		if err := layRow(&n, l); err != nil {
			return err
		}
		if l.Prefix == "" || l.Lineage == "" {
			return fmt.Errorf("line %d: an entry of lineages needs both prefix and lineage", n.Line)
		}
	}
	return nil
}

// rowAt finds the row that meant accepts, or adds one.
func rowAt[T any](rows *[]T, meant func(T) bool) *T {
	i := slices.IndexFunc(*rows, meant)
	if i < 0 {
		*rows = append(*rows, *new(T))
		i = len(*rows) - 1
	}
	return &(*rows)[i]
}

// layRow decodes a row on top of what is there. Its keys must be known.
func layRow(n *yaml.Node, row any) error {
	raw, err := yaml.Marshal(n)
	if err != nil {
		return fmt.Errorf("line %d: %w", n.Line, err)
	}
	if err := decodeStrictly(raw, row); err != nil {
		var wrong *yaml.TypeError
		if errors.As(err, &wrong) { // the error's lines count from the start of the row
			_, what, _ := strings.Cut(wrong.Errors[0], ": ")
			return fmt.Errorf("line %d: %s", n.Line, unknownKey(what, "a row has "+strings.Join(keysOf(row), ", ")))
		}
		return fmt.Errorf("line %d: %w", n.Line, err)
	}
	return nil
}

// unknownKey words an error for a person who does not know our types.
func unknownKey(what, keys string) string {
	before, rest, found := strings.Cut(what, "field ")
	key, _, missing := strings.Cut(rest, " not found")
	if !found || !missing {
		return what
	}
	return before + "unknown key " + key + "; " + keys
}

// keysOf returns the keys that a row can have.
func keysOf(row any) (keys []string) {
	t := reflect.TypeOf(row).Elem()
	for i := range t.NumField() {
		keys = append(keys, t.Field(i).Tag.Get("yaml"))
	}
	return keys
}

// decodeStrictly decodes YAML and rejects unknown keys; an empty text decodes to nothing.
func decodeStrictly(raw []byte, into any) error {
	d := yaml.NewDecoder(bytes.NewReader(raw))
	d.KnownFields(true)
	if err := d.Decode(into); err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	return nil
}

// Vendors returns all vendors in the order of the file.
func (c *Catalogue) Vendors() []Vendor { return slices.Clone(c.rows.Vendors) }

// Models returns all listed models, in the order of the file.
func (c *Catalogue) Models() []llm.Info {
	out := make([]llm.Info, len(c.rows.Models))
	for i, m := range c.rows.Models {
		v, _ := c.vendor(m.Vendor)
		out[i] = c.info(v, m)
	}
	return out
}

// Resolve finds a vendor's model by tier or by id. An unlisted model is allowed: its window and, unless the vendor is
// local, its price are unknown.
func (c *Catalogue) Resolve(vendor, tierOrModel string) (llm.Info, Vendor, error) {
	v, ok := c.vendor(vendor)
	if !ok {
		var names []string
		for _, v := range c.rows.Vendors {
			names = append(names, v.Name)
		}
		return llm.Info{}, Vendor{}, fmt.Errorf("unknown vendor %q; known vendors: %s", vendor, strings.Join(names, ", "))
	}
	id, tier := tierOrModel, llm.Tier(tierOrModel)
	if slices.Contains([]llm.Tier{llm.Small, llm.Mid, llm.Big}, tier) {
		if id = v.Tiers[tier]; id == "" {
			return llm.Info{}, v, fmt.Errorf("%s has no model for the tier %s: name one", vendor, tier)
		}
	} else {
		tier = ""
	}
	if id == "" {
		return llm.Info{}, v, fmt.Errorf("no model given for %s", vendor)
	}
	row := modelRow{Vendor: vendor, ID: id}
	if i := slices.IndexFunc(c.rows.Models, func(m modelRow) bool { return m.Vendor == vendor && m.ID == id }); i >= 0 {
		row = c.rows.Models[i]
	}
	if tier != "" {
		row.Tier = tier
	}
	return c.info(v, row), v, nil
}

// vendor finds a vendor by name.
func (c *Catalogue) vendor(name string) (Vendor, bool) {
	i := slices.IndexFunc(c.rows.Vendors, func(v Vendor) bool { return v.Name == name })
	if i < 0 {
		return Vendor{}, false
	}
	return c.rows.Vendors[i], true
}

// info combines a model's row with its vendor's; the model's row takes precedence.
func (c *Catalogue) info(v Vendor, m modelRow) llm.Info {
	info := llm.Info{ID: m.ID, Lineage: m.Lineage, Tier: m.Tier, Window: m.Window, Output: m.Output,
		Efforts: cmp.Or(m.Efforts, v.Efforts), PDF: v.PDF, Price: m.Price.price()}
	if v.Local {
		info.Price = cost.Price{Known: true}
	}
	if info.Lineage == "" {
		info.Lineage = v.Lineage
	}
	if info.Lineage == "" {
		info.Lineage = c.Lineage(m.ID)
	}
	return info
}

// Lineage guesses from its name whose errors a model shares. A cloud may put a region and a maker before the name, as
// in us.anthropic.claude-opus-5-5. A name that no prefix fits is its own lineage.
func (c *Catalogue) Lineage(id string) string {
	name := strings.ToLower(id[strings.LastIndex(id, "/")+1:])
	for rest, more := name, true; more; {
		var best lineageRow
		for _, l := range c.rows.Lineages {
			if strings.HasPrefix(rest, l.Prefix) && len(l.Prefix) > len(best.Prefix) {
				best = l
			}
		}
		if best.Lineage != "" {
			return best.Lineage
		}
		var before string
		before, rest, more = strings.Cut(rest, ".")
		more = more && strings.Trim(before, "abcdefghijklmnopqrstuvwxyz-") == ""
	}
	return name
}

func (p *priceRow) price() cost.Price {
	if p == nil {
		return cost.Price{}
	}
	out := cost.Price{Input: p.Input, Output: p.Output, CacheRead: p.Input, CacheWrite: p.Input, Known: true}
	if p.CacheRead != nil {
		out.CacheRead = *p.CacheRead
	}
	if p.CacheWrite != nil {
		out.CacheWrite = *p.CacheWrite
	}
	return out
}
