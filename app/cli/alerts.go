package cli

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"rentgen/app/purse"
	"rentgen/app/purse/alert"
	"rentgen/app/purse/push"
	"rentgen/assets/texts"
)

type alertJSON struct {
	ID       string  `json:"id"`
	Kind     string  `json:"kind"`
	Host     string  `json:"host"`
	GPU      *string `json:"gpu"`
	At       string  `json:"at"`
	Over     *string `json:"over"`
	Snoozed  *string `json:"snoozed"`
	Seen     bool    `json:"seen"`
	Sentence string  `json:"sentence"`
	Cost     string  `json:"cost"`
	Next     string  `json:"next"`
}

// alertsTestCommand is the row of the table that stands before that of alerts:
// the longer name is looked for first.
func alertsTestCommand() command {
	return command{
		name: "alerts test",
		args: []arg{{name: "FORM", choices: formIDs()}},
		flags: []flagSpec{
			{name: "url", kind: kindText, meta: "URL"},
			{name: "password-stdin", kind: kindBool},
		},
		examples: []string{
			"rentgen alerts test json --url http://127.0.0.1:8080/hook",
			"rentgen alerts test wecom --password-stdin < robot-address.txt",
		},
		run: runAlertsTest,
	}
}

func alertsCommand() command {
	return command{
		name:     "alerts",
		examples: []string{"rentgen alerts", "rentgen alerts --json"},
		run:      runAlerts,
	}
}

func formIDs() []string {
	var out []string
	for _, f := range push.Forms() {
		out = append(out, f.ID)
	}
	return out
}

// runAlerts prints the alerts that were kept, newest first.
func runAlerts(ctx context.Context, j *job) error {
	s, err := j.readStore(ctx)
	if err != nil {
		return err
	}
	defer s.Close()
	entries, err := s.PurseEntries(ctx, purse.Filter{AnyHost: true, Kind: purse.KindAlert})
	if err != nil {
		return fmt.Errorf("read the alerts: %w", err)
	}
	list := []alertJSON{}
	for _, e := range slices.Backward(entries) {
		a, ok := alert.Read(e)
		if !ok {
			continue
		}
		if !j.is("json") {
			fmt.Fprintln(j.p.Stdout, j.alertLines(a))
		}
		list = append(list, j.alertOut(a))
	}
	if j.is("json") {
		return j.printJSON(list)
	}
	if len(list) == 0 {
		j.say("cli.alerts.none")
	}
	return nil
}

func (j *job) alertOut(a purse.Alert) alertJSON {
	at := func(t time.Time) *string {
		if t.IsZero() {
			return nil
		}
		s := moment(t)
		return &s
	}
	out := alertJSON{
		ID: a.ID, Kind: string(a.Kind), Host: a.HostName, At: moment(a.At), Over: at(a.Over), Snoozed: at(a.Snoozed), Seen: a.Seen,
		Sentence: j.c.Say(a.Say), Cost: j.c.Say(a.Cost), Next: j.c.Say(a.Next),
	}
	if a.GPU != "" {
		out.GPU = &a.GPU
	}
	return out
}

// alertLines is an alert on two lines, one where it is over: what it costs to
// ignore is of no use then.
func (j *job) alertLines(a purse.Alert) string {
	state := j.c.T("cli.alerts.open")
	if !a.Over.IsZero() {
		state = j.c.T("cli.alerts.over", "at", texts.DateTime(j.c, a.Over))
	}
	first := strings.Join([]string{texts.DateTime(j.c, a.At), j.c.Say(alert.Title(a)), j.c.Say(a.Say), state}, "  ")
	if !a.Over.IsZero() {
		return first
	}
	return first + "\n    " + j.c.Say(a.Cost) + " " + j.c.Say(a.Next)
}

type pushJSON struct {
	Form     string  `json:"form"`
	Server   string  `json:"server"`
	Sent     bool    `json:"sent"`
	Reason   *string `json:"reason"`
	Status   *int    `json:"status"`
	Code     *string `json:"code"`
	Sentence string  `json:"sentence"`
}

// runAlertsTest sends one test message. Nothing is kept.
func runAlertsTest(ctx context.Context, j *job) error {
	f, _ := push.Find(j.args[0]) // one of the choices
	address, secret, err := j.pushSecrets(f)
	if err != nil {
		return err
	}
	host, err := f.Host(address)
	if err == nil {
		now := time.Now()
		err = push.Once(ctx, nil, f, address, secret, push.Test(j.c, now), now)
	}
	var e *push.Error
	if err != nil && !errors.As(err, &e) {
		return err
	}
	out := pushJSON{Form: f.ID, Server: host, Sent: err == nil, Sentence: j.c.T("cli.alerts.sent", "host", host)}
	if e != nil {
		reason := string(e.Reason)
		out.Server, out.Reason, out.Sentence = e.Host, &reason, j.c.Say(e.Phrase())
		if e.Status != 0 {
			out.Status = &e.Status
		}
		if e.Code != "" {
			out.Code = &e.Code
		}
	}
	if j.is("json") {
		if err := j.printJSON(out); err != nil {
			return err
		}
	} else {
		fmt.Fprintln(j.p.Stderr, out.Sentence)
	}
	if e != nil {
		return answered{e.ExitCode()}
	}
	return nil
}

// pushSecrets takes the address and the secret: --url where it holds no key, and
// up to two lines of standard input. Where --url lacks the key that the form
// needs, the first line is that; without --url it is the whole address.
func (j *job) pushSecrets(f push.Form) (address, secret string, err error) {
	address = strings.TrimSpace(j.flags["url"])
	if f.HasKey(address) {
		return "", "", &UsageError{Code: "secret", Field: "--url", Value: f.ID, Allowed: "--password-stdin"}
	}
	var lines []string
	if j.is("password-stdin") {
		if lines, err = readLines(j.in, 2); err != nil {
			return "", "", err
		}
		if len(lines) == 0 {
			return "", "", &UsageError{Code: "empty", Field: "--password-stdin", Allowed: "PASSWORD"}
		}
	}
	take := func() string {
		if len(lines) == 0 {
			return ""
		}
		first := lines[0]
		lines = lines[1:]
		j.redactor.Secret(first)
		return first
	}
	switch {
	case address == "":
		address = take()
	case f.Address.Key.In != push.KeyNone:
		address = f.Join(address, take())
	}
	if address == "" {
		return "", "", &UsageError{Code: "needs", Field: "--url", Allowed: f.Address.Shape}
	}
	return address, take(), nil
}

// readLines reads at most so many lines, without empty ones.
func readLines(r io.Reader, most int) ([]string, error) {
	s := bufio.NewScanner(io.LimitReader(r, maxPassword))
	var out []string
	for len(out) < most && s.Scan() {
		if l := strings.TrimSpace(s.Text()); l != "" {
			out = append(out, l)
		}
	}
	if err := s.Err(); err != nil {
		return nil, fmt.Errorf("read from standard input: %w", err)
	}
	return out, nil
}
