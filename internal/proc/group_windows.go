package proc

import (
	"os"
	"os/exec"
	"strconv"
	"syscall"
)

// isolate keeps the console's Ctrl-C away from the program.
func isolate(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{CreationFlags: syscall.CREATE_NEW_PROCESS_GROUP}
}

// killGroup ends the tree below the program: Windows has no groups, taskkill walks the parents.
func killGroup(p *os.Process) {
	if exec.Command("taskkill", "/T", "/F", "/PID", strconv.Itoa(p.Pid)).Run() != nil {
		_ = p.Kill()
	}
}

// terminateGroup has no polite form there.
func terminateGroup(p *os.Process) { killGroup(p) }
