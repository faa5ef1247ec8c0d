//go:build unix

package proc

import (
	"os"
	"os/exec"
	"syscall"
)

// isolate gives the program a session of its own, and with it a process group: it has no terminal,
// so that nothing in it can ask a person or take the keys that are typed.
func isolate(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	dieWithParent(cmd.SysProcAttr)
}

// killGroup sends the signal that nobody can refuse; a group that is gone is no fault.
func killGroup(p *os.Process) { _ = syscall.Kill(-p.Pid, syscall.SIGKILL) }

func terminateGroup(p *os.Process) { _ = syscall.Kill(-p.Pid, syscall.SIGTERM) }
