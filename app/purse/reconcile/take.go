package reconcile

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"time"

	"rentgen/app/money"
	"rentgen/app/purse"
	"rentgen/app/purse/meter"
)

// kept is a bill as the purse keeps it.
type kept struct {
	File     string         `json:"file"`
	Currency money.Currency `json:"currency"`
	Billed   money.Rat      `json:"billed"`
	From     time.Time      `json:"from"`
	To       time.Time      `json:"to"`
	Rows     int            `json:"rows"`
}

// Into says what a bill is taken into.
type Into struct {
	Book  *meter.Book
	Store purse.Store // keeps that the bill was taken in; nil keeps nothing
	Host  string      // the bill is set against this host alone; "" against all
	File  string      // its name, without the folder
	// Name is what a host is called; nil takes its id.
	Name func(id string) string
	Now  time.Time
}

// Take sets a bill against the hosts of a book, notes there the stops that nobody
// knew, and keeps that the bill was taken in. The error is that of the store.
func Take(ctx context.Context, b Bill, in Into) (Result, error) {
	var here []Here
	for _, id := range in.Book.Hosts() {
		a, ok := in.Book.Account(id)
		if !ok || in.Host != "" && id != in.Host {
			continue
		}
		h := Here{Host: id, Name: id, Sessions: a.Sessions, Tariff: a.Tariff}
		if in.Name != nil {
			h.Name = in.Name(id)
		}
		here = append(here, h)
	}
	r := Compare(b, here)
	for _, s := range r.Stops {
		if err := in.Book.Stopped(ctx, s.Host, s.At, meter.ByBill); err != nil {
			return r, err
		}
	}
	if in.Store == nil {
		return r, nil
	}
	e, err := b.entry(in, r.Billed)
	if err == nil {
		err = in.Store.SavePurseEntries(ctx, e)
	}
	if err != nil {
		return r, fmt.Errorf("keep the bill: %w", err)
	}
	return r, nil
}

func (b Bill) entry(in Into, billed money.Rat) (purse.Entry, error) {
	k := kept{File: in.File, Currency: b.Currency, Billed: billed, Rows: len(b.Rows)}
	for _, w := range b.Rows {
		if k.From.IsZero() || !w.From.IsZero() && w.From.Before(k.From) {
			k.From = w.From
		}
		if w.To.After(k.To) {
			k.To = w.To
		}
	}
	body, err := json.Marshal(k)
	return purse.Entry{Host: in.Host, Kind: purse.KindBill, Key: strconv.FormatInt(in.Now.UnixMilli(), 10), Time: in.Now, Body: body}, err
}
