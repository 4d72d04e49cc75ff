package builtin

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/socrates-cli/socrates/internal/tool"
)

// TestCountdown: a call has its time to itself, however long a person takes to decide about what it does.
func TestCountdown(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		begun, ended := time.Now(), make(chan time.Duration, 1)
		clock := countDown(time.Minute, func() { ended <- time.Since(begun) })
		env := clock.during(tool.Env{Allow: func(context.Context, ...tool.Act) error { time.Sleep(time.Hour); return nil }})
		time.Sleep(20 * time.Second)
		both := make(chan error, 2)
		for range 2 {
			go func() { both <- env.May(t.Context()) }()
		}
		<-both
		<-both
		if took := <-ended; took != time.Hour+time.Minute {
			t.Errorf("it ended after %s", took)
		}
		over := countDown(time.Minute, func() { t.Error("it ended although it was stopped") })
		goOn := over.hold()
		over.stop()
		goOn()
		time.Sleep(time.Hour)
	})
}
