// Package providers carries the dated rules of the platforms, one YAML file a
// provider. Package rentgen/app/provider says what stands in them.
package providers

import "embed"

// Files holds a file <id>.yaml for every provider.
//
//go:embed *.yaml
var Files embed.FS

// Profiles holds a file profiles/<id>.yaml for every kind of instance that Set
// up knows: what lives where, and what the provider calls things.
//
//go:embed profiles/*.yaml
var Profiles embed.FS
