package smi

// LoopScriptForTest is the script of a loop with nvidia-smi at path.
func LoopScriptForTest(path string) string {
	where, err := locate(path)
	if err != nil {
		panic(err)
	}
	return loop(where, "0123456789abcdef", negotiate(Help{}).ticks(), 500, false)
}
