package check

import (
	"slices"
	"strings"

	"rentgen/app/guide"
)

var (
	// windowsPath is a path of Windows with something behind the drive: Linux under
	// Windows shows its drives as "C:\" alone.
	windowsPath = guide.Regexp(`(?:^|[\s"'(=,|])[A-Za-z]:\\[\w.$%-]`)
	// msysMount is a line of df in Git Bash: "C:  476G  300G  176G  64% /c".
	msysMount  = guide.Regexp(`^[A-Za-z]:(?:/\S+(?: \S+)*)?\s+.*\d+%\s+/(?:[a-z])?$`)
	macPath    = guide.Regexp(`(?:^|[\s"'(=,])/(?:Users/[\w.-]+/|System/Volumes/|opt/homebrew/|Library/Frameworks/)`)
	macDisk    = guide.Regexp(`^/dev/disk\d+s\d+`)
	macSocket  = guide.Regexp(`^tcp(?:4|6|46)\s+\d+\s+\d+\s+\S+\.(?:\d+|\*)\s`)
	bsdDd      = guide.Regexp(`\bbytes transferred in [\d.]+ secs\b`)
	ownHost    = guide.Regexp(`(?i)@(?:[\w-]*(?:macbook|imac|mac-mini|macmini|mac-studio)[\w.-]*|mac)(?:[\s:#%$]|$)`)
	windowsPC  = guide.Regexp(`@(?:DESKTOP|LAPTOP)-[0-9A-Z]{6,8}\b`)
	boxed      = guide.Regexp(`@(?:[0-9a-f]{12}\b|C\.\d{5,9}\b|autodl-container-|[\w-]*-container-[0-9a-f])`)
	windowsMod = guide.Regexp(`\|\s*GPU\s+Name\s+(?:TCC/WDDM|Driver-Model)\s*\|`)
	windowsGPU = guide.Regexp(`^\|\s+\d+\s+\S.*\s(?:WDDM|MCDM)\s+\|`)
	windowsNet = guide.Regexp(`^\s*Proto\s+Local Address\s+Foreign Address\s+State\s*$`)
)

// elsewhere reports whether the output comes from another machine than the
// instance: the layout of Windows or macOS, or the name of a computer at home. It
// notes the facts and the finding. Ping and curl may be run at home on purpose:
// of them it notes the system alone.
func (l *look) elsewhere() bool {
	system := l.layout()
	home := system != "" || l.homePrompt()
	if system != "" {
		l.set("os", system)
	}
	if l.in.Laptop || l.in.Check == guide.NetPing || l.in.Check == guide.NetCurl || l.in.Check == guide.Tunnel && l.opensForward() {
		return false
	}
	if !home {
		if l.in.Track == guide.Dedicated && l.boxPrompt() {
			l.find(guide.Warn, "in-container")
		}
		return false
	}
	l.set("wrong_machine", true)
	code := "elsewhere"
	if system != "" {
		code += "-" + system
	}
	l.find(guide.Warn, code)
	return true
}

// opensForward reports whether the command is the one at home that opens a
// tunnel.
func (l *look) opensForward() bool {
	return l.command == "" || strings.HasPrefix(l.command, "ssh ") || strings.HasPrefix(l.command, "plink ") || strings.HasPrefix(l.command, "curl ")
}

// layout names the system whose tools printed the output, "" for Linux and for
// what could be any.
func (l *look) layout() string {
	for _, s := range l.lines {
		switch {
		case windowsMod.MatchString(s), windowsGPU.MatchString(s), windowsPath.MatchString(s), msysMount.MatchString(s), windowsNet.MatchString(s):
			l.use(s)
			return "windows"
		case macDisk.MatchString(s), macPath.MatchString(s), macSocket.MatchString(s), bsdDd.MatchString(s):
			l.use(s)
			return "macos"
		}
	}
	switch {
	case l.says("is not recognized as an internal or external command", "is not recognized as the name of a cmdlet", "不是内部或外部命令", "项识别为 cmdlet", "os: microsoft windows", "volume serial number is", "microsoft windows [version"):
		return "windows"
	case l.says("os: macos", "os: mac osx", "darwin kernel version", "capacity iused ifree %iused mounted on", "on / (apfs"):
		return "macos"
	}
	return l.promptLayout()
}

// lastPrompt is the prompt behind which the output was asked for, "" where it was
// asked for over ssh or no prompt was pasted.
func (l *look) lastPrompt() string {
	for _, s := range slices.Backward(l.prompts) {
		typed, _ := prompt(s)
		switch {
		case typed == "":
		case strings.HasPrefix(typed, "ssh ") || strings.HasPrefix(typed, "plink "):
			return ""
		default:
			return s
		}
	}
	return ""
}

// promptLayout tells the system by the prompt alone.
func (l *look) promptLayout() string {
	p := l.lastPrompt()
	switch {
	case p == "":
		return ""
	case drivePrompt.MatchString(p):
		l.use(p)
		return "windows"
	case ownHost.MatchString(p):
		l.use(p)
		return "macos"
	}
	return ""
}

var drivePrompt = guide.Regexp(`^(?:\([\w.-]+\) )?(?:PS )?[A-Za-z]:\\`)

// homePrompt reports whether the prompt names a computer at home; Linux under
// Windows has such a name too.
func (l *look) homePrompt() bool {
	p := l.lastPrompt()
	if p != "" && windowsPC.MatchString(p) {
		l.use(p)
		return true
	}
	return false
}

// boxPrompt reports whether the prompt is that of a container.
func (l *look) boxPrompt() bool {
	p := l.lastPrompt()
	if p != "" && boxed.MatchString(p) {
		l.use(p)
		return true
	}
	return false
}
