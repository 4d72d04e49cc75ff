package persona

// Parse reads a page: a head of "name" and "doc", then what a seat is told. Errors are *page.Error, with the line.
func Parse(file, name string, raw []byte) (Persona, error) {
	p, err := kind.Parse(file, name, raw)
	return Persona{p.Name, p.Doc, p.File, p.Text}, err
}
