// Command rentgen-agent is our program on the host: it reads the cards through
// NVML and the machine from /proc, and speaks probe/wire on its standard output
// until its standard input ends. It runs as the login user, opens no socket,
// runs no program and writes no file.
//
//	rentgen-agent stdio --marker M [--format=json] [--retry 30s]
//	rentgen-agent --version
//
// Exit codes: 0 ended with its input, 3 the same without NVML, 64 bad command
// line, 1 anything else.
package main
