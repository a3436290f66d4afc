// Package push carries the forms in which alerts can be sent to a phone or a
// group, one YAML file a service. Package rentgen/app/purse/push says what stands
// in them.
package push

import "embed"

// Files holds a file <id>.yaml for every form.
//
//go:embed *.yaml
var Files embed.FS
