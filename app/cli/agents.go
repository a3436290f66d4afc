package cli

import "rentgen/assets/agents"

// builtAgents are the processors for which this build holds our program.
func builtAgents() []string {
	list := []string{}
	for _, arch := range []string{"amd64", "arm64"} {
		if _, _, ok := agents.Find(arch); ok {
			list = append(list, arch)
		}
	}
	return list
}
