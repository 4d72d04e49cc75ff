package process

import (
	"fmt"
	"os"
	"os/exec"
	"syscall"
	"unsafe"

	"golang.org/x/sys/windows"
)

// Group is a job: the program and everything it starts. The job dies with its last handle, so with us.
type Group struct{ job windows.Handle }

// Prepare gives cmd, which has not started, a group of its own and hides its window.
func Prepare(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{CreationFlags: windows.CREATE_NEW_PROCESS_GROUP, HideWindow: true}
}

// Adopt puts cmd, which was prepared and has started, into a job of its own.
//
// Between start and here the program may have started others, which are not in the job.
func Adopt(cmd *exec.Cmd) (Group, error) {
	job, err := windows.CreateJobObject(nil, nil)
	if err != nil {
		return Group{}, fmt.Errorf("job: %w", err)
	}
	limits := windows.JOBOBJECT_EXTENDED_LIMIT_INFORMATION{}
	limits.BasicLimitInformation.LimitFlags = windows.JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE
	_, err = windows.SetInformationJobObject(job, windows.JobObjectExtendedLimitInformation,
		uintptr(unsafe.Pointer(&limits)), uint32(unsafe.Sizeof(limits)))
	if err == nil {
		err = assign(job, uint32(cmd.Process.Pid))
	}
	if err != nil {
		windows.CloseHandle(job)
		return Group{}, fmt.Errorf("job: %w", err)
	}
	return Group{job}, nil
}

func assign(job windows.Handle, pid uint32) error {
	h, err := windows.OpenProcess(windows.PROCESS_SET_QUOTA|windows.PROCESS_TERMINATE, false, pid)
	if err != nil {
		return err
	}
	defer windows.CloseHandle(h)
	return windows.AssignProcessToJobObject(job, h)
}

// Terminate leaves it at the closed input, which the programs obey; there is no gentle signal here.
func (g Group) Terminate() {}

// Kill ends whatever is left in the job.
func (g Group) Kill() { windows.TerminateJobObject(g.job, 1) }

// Release lets go of the job; what is left in it ends.
func (g Group) Release() { windows.CloseHandle(g.job) }

func signalOf(*os.ProcessState) int { return 1 }
