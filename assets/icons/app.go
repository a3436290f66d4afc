package icons

import _ "embed"

// App is the program's own icon, a PNG of 512 by 512. app.svg is its source;
// "go run ./.ci/tools/appicon" draws it anew.
//
//go:embed app.png
var App []byte
