package store

import (
	"context"
	"database/sql"
)

// querier is a database or a transaction.
type querier interface {
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
}

// eachRow runs a query and calls read for every row, until one fails.
func eachRow(ctx context.Context, q querier, query string, args []any, read func(*sql.Rows) error) error {
	rows, err := q.QueryContext(ctx, query, args...)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		if err := read(rows); err != nil {
			return err
		}
	}
	return rows.Err()
}

// listRows runs a query and returns its rows, each scanned into the places that
// into names of it; nil where there are none.
func listRows[T any](ctx context.Context, q querier, query string, args []any, into func(*T) []any) ([]T, error) {
	var list []T
	err := eachRow(ctx, q, query, args, func(rows *sql.Rows) error {
		var row T
		if err := rows.Scan(into(&row)...); err != nil {
			return err
		}
		list = append(list, row)
		return nil
	})
	if err != nil {
		return nil, err
	}
	return list, nil
}

// itself scans a row of one column.
func itself[T any](v *T) []any { return []any{v} }
