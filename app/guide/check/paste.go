package check

import (
	"strings"

	"rentgen/app/guide"
)

// prompts are the beginnings of lines that a shell wrote and not a tool, with
// what was typed behind them. A df line of sshfs ("me@host:/data 100G ...") is
// none.
var prompts = []*guide.Pattern{
	guide.Regexp(`^\s*(?:\([\w./-]+\)\s*)*\[[\w.-]+@[\w.-]+ [^\]]*\][#$%]\s*(.*)$`),        // [me@host dir]$
	guide.Regexp(`^\s*(?:\([\w./-]+\)\s*)*[\w.-]+@[\w.-]+:[~/][^\s#$%>]*\s?[#$]\s*(.*)$`),  // me@host:~/dir$
	guide.Regexp(`^\s*(?:\([\w./-]+\)\s*)*[\w.-]+@[\w.-]+ [~/\w][^\s#$%>]* [#$%]\s+(.*)$`), // me@host dir %
	guide.Regexp(`^\s*(?:\([\w./-]+\)\s*)*[\w.-]+@[\w.-]+[#$>]\s+(.*)$`),                   // me@host#
	guide.Regexp(`^\s*(?:bash|sh|zsh|ash)-\d[\d.]*[#$%]\s*(.*)$`),                          // bash-5.1#
	guide.Regexp(`^(?:~|/[\w./-]*) [#$] (.*)$`),                                            // /workspace #
	guide.Regexp(`^\s*[❯➜]\s+(.*)$`),                                                       // themes
	guide.Regexp(`^(?:\([\w.-]+\) )?(?:PS )?[A-Za-z]:\\[^<>|"?*]*>\s*(.*)$`),               // C:\Users\me>
}

// prompt returns what was typed behind a shell's prompt on a line, and whether
// the line is one.
func prompt(line string) (typed string, ok bool) {
	if !strings.ContainsAny(line, "#$%>❯➜") {
		return "", false
	}
	for _, re := range prompts {
		if m := re.FindStringSubmatch(line); m != nil {
			return strings.TrimSpace(m[1]), true
		}
	}
	return "", false
}

// unpasted takes out the lines that a terminal showed around an output: prompts
// with what was typed, and the command itself. It returns what was typed last,
// and the prompts taken out.
func unpasted(text, command string) (rest, typed string, taken []string) {
	lines := strings.Split(text, "\n")
	var keep []string
	head := true // nothing of the output yet
	for _, s := range lines {
		if t, ok := prompt(s); ok {
			if t != "" {
				typed = t
			}
			taken = append(taken, s)
			continue
		}
		trimmed := strings.TrimSpace(s)
		bare := strings.TrimSpace(strings.TrimLeft(trimmed, "$#>%"))
		if head && bare != "" && bare == strings.TrimSpace(command) {
			continue
		}
		if head && trimmed != bare && isCommand(bare) { // "$ nvidia-smi"
			typed = bare
			continue
		}
		if trimmed != "" {
			head = false
		}
		keep = append(keep, s)
	}
	return strings.Join(keep, "\n"), typed, taken
}

// isCommand reports whether a line begins with one of the tools of the checks.
func isCommand(s string) bool {
	first, _, _ := strings.Cut(strings.TrimPrefix(s, "sudo "), " ")
	switch first[strings.LastIndexByte(first, '/')+1:] {
	case "nvidia-smi", "lspci", "nvcc", "python", "python3", "docker", "df", "mount", "findmnt", "fio", "dd", "nproc", "lscpu", "free", "cat", "ping", "iperf3",
		"curl", "ss", "netstat", "sshd", "tmux", "ssh", "timeout", "tail", "head", "du", "grep", "echo", "env", "export", "huggingface-cli", "hf":
		return true
	}
	return false
}
