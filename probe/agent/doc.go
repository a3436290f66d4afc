// Command rentgen-agent is our program on the host: it reads the cards through
// NVML and the machine from /proc, and speaks probe/wire on its standard output
// until its standard input ends. It runs as the login user and opens no socket.
// It runs no program and writes no file, unless the person has switched the
// recorder on for this host: then one more of itself stays behind in a session
// of its own, writes a ring of bounded size into one folder beside the program,
// and ends and deletes both when its life is over.
//
// Where the person has switched the stop guard on as well, that one watches its
// readings (probe/guard), and two things are otherwise than said above. It asks
// the program that paints for its queue, if the order says so: one GET to
// 127.0.0.1, bounded, and a netlink socket that asks the kernel how long
// connections have been silent; nothing leaves the machine and nothing listens.
// And it runs one program: the command that ends billing, which is fixed in
// guard.CommandOf and sought in fixed folders, never text from the laptop or the
// host, and only after a dry run.
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
