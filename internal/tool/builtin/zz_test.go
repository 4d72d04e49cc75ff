package builtin_test

import (
	"fmt"
	"syscall"
	"testing"
	"time"
)

func cpu() (d time.Duration) {
	for _, who := range []int{syscall.RUSAGE_SELF, syscall.RUSAGE_CHILDREN} {
		var u syscall.Rusage
		syscall.Getrusage(who, &u)
		d += time.Duration(u.Utime.Nano() + u.Stime.Nano())
	}
	return d
}

func TestZZ(t *testing.T) {
	for range 3 {
		for _, c := range [][2]string{{"grep", "file 7777 ENDS"}, {"grep", `file\s+77\d+ ENDS`}, {"grep", "[A-Z]{5,}"}, {"grep", "nowhere|neither"}, {"glob", "*7.go"}} {
			began, used := time.Now(), cpu()
			out, err := call(t, "/tmp/ftree", c[0], fmt.Sprintf(`{"pattern":%q}`, c[1]))
			fmt.Println(c, "wall", time.Since(began).Round(time.Millisecond), "cpu", (cpu() - used).Round(time.Millisecond), out.Show, err)
		}
	}
}
