// Package costs is the page of all that is known of what a host costs: the month
// against the plan, every run, the platform's bill and the budget.
package costs
