package process

import (
	"fmt"
	"os/exec"
	"runtime"
	"time"
)

// MarkVar is the variable that Mark sets. A program that builds an environment for its own children must pass it on.
const MarkVar = "SOCRATES_KIN"

// Grace is how long a program that is told to end may take, and how long its output is drained once it has ended while
// something it started still holds it.
const Grace = time.Second

// descendantsVar is the variable of a Descendants.
const descendantsVar = "SOCRATES_KINSHIP"

// Run runs cmd, which exec.CommandContext made, in a group of its own, and returns once nothing of it is left. When its
// context ends, the group is asked to end and is killed after Grace; so is what still holds its output that long after
// it has ended. How it ended is in cmd.ProcessState. An error says that it could not be run at all.
func Run(cmd *exec.Cmd) error {
	// On Linux the signal that ends a program together with us is sent when the thread that started it ends.
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	cmd.WaitDelay = Grace
	Prepare(cmd)
	var group Group
	started := make(chan struct{})
	// The context may end before the group is known: then this waits for it, which is a moment.
	cmd.Cancel = func() error {
		<-started
		group.Terminate()
		return nil
	}
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("it cannot be started: %w", err)
	}
	var err error
	group, err = Adopt(cmd)
	close(started)
	if err != nil {
		cmd.Process.Kill()
		cmd.Wait()
		return fmt.Errorf("it cannot be supervised: %w", err)
	}
	cmd.Wait() // all it can say is in the state of the process and in the context
	// Also where it ended by itself: what it left running goes with it.
	group.Kill()
	group.Release()
	return nil
}
