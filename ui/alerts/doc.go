// Package alerts shows what a person should hear of: the list of alerts, its
// count for the bar, and the way to the desktop's notifications.
package alerts
