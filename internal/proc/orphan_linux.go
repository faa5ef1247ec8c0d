package proc

import "syscall"

// dieWithParent has the kernel kill the program when this process dies, however it dies.
func dieWithParent(attr *syscall.SysProcAttr) { attr.Pdeathsig = syscall.SIGKILL }
