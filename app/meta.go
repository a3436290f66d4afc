package main

// What FyneApp.toml says too; a test compares them. Fyne reads that file only
// when it lies beside the program, so it is set in code.
const (
	appID      = "app.rentgen.desktop"
	appName    = "Rentgen"
	appVersion = "0.1.0"
	appBuild   = 1
)
