package scroll

// Zone is a part of the screen that a selection is kept to: what stands beside it is not meant.
type Zone struct {
	X0, X1, Y0, Y1 int
	Scroll         func(by int) (went int) // nil: it does not
}
