package catalogue

import "github.com/socrates-cli/socrates/internal/llm"

// ModelsOf returns the listed models of a vendor, in the order of the file.
func (c *Catalogue) ModelsOf(vendor string) []llm.Info {
	var out []llm.Info
	for _, m := range c.rows.Models {
		if m.Vendor == vendor {
			v, _ := c.vendor(vendor)
			out = append(out, c.info(v, m))
		}
	}
	return out
}
