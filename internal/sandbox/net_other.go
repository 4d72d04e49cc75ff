//go:build !linux

package sandbox

// Net is a network for several programs. It does not exist here: the rules' network setting applies to each program.
type Net struct{}

// Close does nothing here.
func (*Net) Close() error { return nil }

// Serves is false here.
func (*Net) Serves(int) bool { return false }
