package alerts

import (
	"strings"

	"rentgen/app/purse"
	"rentgen/app/purse/alert"
	"rentgen/assets/texts"
)

// Notifier shows a notification on the desktop. It may be called from any
// goroutine.
type Notifier interface {
	Notify(title, body string)
}

// NotifyFunc is a function as a Notifier.
type NotifyFunc func(title, body string)

// Notify calls the function.
func (f NotifyFunc) Notify(title, body string) { f(title, body) }

// Ring returns what the engine's Deliver calls: it notifies the desktop in the
// language of now and hands the alert on. Either of the two may be nil.
func Ring(n Notifier, lang func() *texts.Catalogue, further func(purse.Alert)) func(purse.Alert) {
	return func(a purse.Alert) {
		if n != nil {
			n.Notify(Words(lang(), a))
		}
		if further != nil {
			further(a)
		}
	}
}

// Words are an alert as a notification: what it is of, and what is so with what
// it costs to ignore it.
func Words(c *texts.Catalogue, a purse.Alert) (title, body string) {
	gap := " "
	if c.Lang == texts.Chinese {
		gap = ""
	}
	body = strings.TrimSpace(c.Say(a.Say) + gap + c.Say(a.Cost))
	return c.Say(alert.Title(a)), body
}
