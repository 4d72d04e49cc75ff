package frame

// adrWritable says whether the decision of a debate can be written where it is wanted, before anybody is asked.
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
