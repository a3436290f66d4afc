package remote

import (
	"os"
	"os/exec"
	"strconv"
	"syscall"

	"golang.org/x/sys/windows"
)

func shellCommand(command string) *exec.Cmd {
	cmd := exec.Command("cmd.exe")
	// cmd has quoting rules of its own; the line goes to it as it is.
	cmd.SysProcAttr = &syscall.SysProcAttr{
		CmdLine:       `cmd.exe /D /S /C "` + command + `"`,
		HideWindow:    true,
		CreationFlags: windows.CREATE_NEW_PROCESS_GROUP,
	}
	return cmd
}

// terminate ends the command and its children; Windows has no signal that a
// program without a window would notice.
func terminate(cmd *exec.Cmd) { kill(cmd) }

func kill(cmd *exec.Cmd) {
	end := exec.Command("taskkill.exe", "/T", "/F", "/PID", strconv.Itoa(cmd.Process.Pid))
	end.SysProcAttr = &syscall.SysProcAttr{HideWindow: true}
	if end.Run() != nil {
		_ = cmd.Process.Kill()
	}
}

func exitSignal(*os.ProcessState) string { return "" }
