package scroll

// Zone is a part of the screen that limits a selection: what is beside it is not meant.
type Zone struct {
	X0, X1, Y0, Y1 int
	Scroll         func(by int) (went int) // nil: it cannot scroll
}
