//go:build cgo

package store

import (
	"errors"

	"github.com/mattn/go-sqlite3"
)

// driverName is what database/sql knows the driver by.
const driverName = "sqlite3"

// classOf says what kind of trouble an error of the database is.
func classOf(err error) trouble {
	var e sqlite3.Error
	if !errors.As(err, &e) {
		return troubleOther
	}
	switch e.Code {
	case sqlite3.ErrCorrupt, sqlite3.ErrNotADB:
		return troubleDamaged
	case sqlite3.ErrFull:
		return troubleFull
	case sqlite3.ErrBusy, sqlite3.ErrLocked:
		return troubleBusy
	case sqlite3.ErrConstraint:
		return troubleConstraint
	}
	return troubleOther
}
