package frame

// adrWritable returns an error, before anybody is asked, if the decision of a debate cannot be written where it is
// wanted.
func (a *Framer) adrWritable() error {
	c, err := a.Home.Settings.Load()
	if err != nil || c.String("decisions.adr") != "on" {
		return err
	}
	b, err := a.Book("")
	if err != nil {
		return err
	}
	return b.Check()
}
