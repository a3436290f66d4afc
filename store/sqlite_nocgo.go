//go:build !cgo

package store

// driverName names a driver that a build without cgo does not have: Open fails
// and says so.
const driverName = "sqlite3"

func classOf(error) trouble { return troubleOther }
