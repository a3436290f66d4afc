// Command rentgen-agent is our program on the host: it reads the cards through
// NVML and the machine from /proc, and speaks probe/wire on its standard output
// until its standard input ends. It runs as the login user and opens no socket.
// It runs no program and writes no file, unless the person has switched the
// recorder on for this host: then one more of itself stays behind in a session
// of its own, writes a ring of bounded size into one folder beside the program,
// and ends and deletes both when its life is over.
//
//	rentgen-agent stdio --marker M [--format=json] [--retry 30s]
//	rentgen-agent resident start|status|stop|remove [--dir DIR] [--life 72h] [--max-bytes N]
//	rentgen-agent resident fetch --marker M [--dir DIR] [--from POSITION]
//	rentgen-agent resident run [--dir DIR]
//	rentgen-agent --version
//
// DIR is the folder "resident" beside the program where it isn't named. An
// order to the recorder prints one JSON object that says how it stands after it.
//
// Exit codes: 0 ended with its input or done, 3 the same without NVML, 64 bad
// command line, 1 anything else.
package main
