package git_test

import "time"

var began = time.Now()

// spent is the time so far: what processes used is not asked for here.
func spent() time.Duration { return time.Since(began) }
