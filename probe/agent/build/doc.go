// Package build holds the script that builds the programs for the hosts, and its
// tests. There is nothing in it to import.
package build
