package llm

// ModelsOf returns the models of a vendor that are written down, in the order of the file.
func (c *Catalogue) ModelsOf(vendor string) []Info {
	var out []Info
	for _, m := range c.rows.Models {
		if m.Vendor == vendor {
			v, _ := c.vendor(vendor)
			out = append(out, c.info(v, m))
		}
	}
	return out
}
