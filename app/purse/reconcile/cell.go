package reconcile

import (
	"regexp"
	"strconv"
	"strings"
	"time"

	"rentgen/app/money"
)

// layouts of times, the year first: day and month in another order can't be told
// apart.
var layouts = []string{
	time.RFC3339, "2006-1-2 15:04:05.999", "2006-1-2 15:04", "2006-1-2T15:04:05.999", "2006-1-2T15:04:05Z0700", "2006/1/2 15:04:05", "2006/1/2 15:04",
	"2006年1月2日 15:04:05", "2006年1月2日 15:04", "2006年1月2日15:04:05", "20060102 15:04:05", "20060102150405", "2006-1-2 15:04:05 MST", "2006-1-2 15:04:05 -0700",
	"Jan 2, 2006 15:04:05", "Jan 2, 2006 3:04 PM", "Jan 2, 2006, 3:04 PM", "2 Jan 2006 15:04:05", "2 Jan 2006 15:04",
}

var dayLayouts = []string{"2006-1-2", "2006/1/2", "2006年1月2日", "Jan 2, 2006", "2 Jan 2006"}

var unixTime = regexp.MustCompile(`^1\d{9}(\d{3})?$`)

// parseTime reads a time; whole says that it is a whole day.
func parseTime(s string, zone *time.Location) (t time.Time, whole, ok bool) {
	s = strings.TrimSpace(strings.NewReplacer("\u00a0", " ", "\u3000", " ", "  ", " ").Replace(s))
	if unixTime.MatchString(s) {
		n, err := strconv.ParseInt(s, 10, 64)
		if len(s) == 13 {
			return time.UnixMilli(n).In(zone), false, err == nil
		}
		return time.Unix(n, 0).In(zone), false, err == nil
	}
	for _, l := range layouts {
		if t, err := time.ParseInLocation(l, s, zone); err == nil {
			return t.In(zone), false, sane(t)
		}
	}
	for _, l := range dayLayouts {
		if t, err := time.ParseInLocation(l, s, zone); err == nil {
			return t.In(zone), true, sane(t)
		}
	}
	return time.Time{}, false, false
}

func sane(t time.Time) bool { return t.Year() >= 2000 && t.Year() < 2200 }

// spanSigns stand between the two ends of a span.
var spanSigns = regexp.MustCompile(`\s*(?:~|～|至|到|—|–|\s-\s|\bto\b)\s*`)

// parseSpan reads both ends of a span; of days the second one is within it.
func parseSpan(s string, zone *time.Location) (from, to time.Time, ok bool) {
	ends := spanSigns.Split(strings.TrimSpace(s), 2)
	if len(ends) != 2 {
		return from, to, false
	}
	from, _, ok1 := parseTime(ends[0], zone)
	to, whole, ok2 := parseTime(ends[1], zone)
	if whole {
		to = to.AddDate(0, 0, 1)
	}
	return from, to, ok1 && ok2 && !to.Before(from)
}

// currencies are signs and words that name one.
var currencies = []struct {
	word string
	code money.Currency
}{
	{"HK$", "HKD"},
	{"US$", "USD"},
	{"JP¥", "JPY"},
	{"¥", "CNY"},
	{"￥", "CNY"},
	{"元", "CNY"},
	{"RMB", "CNY"},
	{"人民币", "CNY"},
	{"美元", "USD"},
	{"港币", "HKD"},
	{"欧元", "EUR"},
	{"日元", "JPY"},
	{"$", "USD"},
	{"€", "EUR"},
	{"£", "GBP"},
}

var codeIn = regexp.MustCompile(`^[A-Z]{3}$|^[A-Z]{3}\b|\b[A-Z]{3}$`)

// parseCurrency reads a code, a sign or a name; "" for none.
func parseCurrency(s string) money.Currency {
	up := strings.ToUpper(strings.TrimSpace(s))
	for _, c := range currencies {
		if strings.Contains(up, c.word) {
			return c.code
		}
	}
	if m := codeIn.FindString(up); m != "" {
		return money.Currency(m)
	}
	return ""
}

var (
	thousands = regexp.MustCompile(`^[+-]?\d{1,3}(,\d{3})+(\.\d+)?$`)
	comma     = regexp.MustCompile(`^[+-]?\d+,\d+$`)
	european  = regexp.MustCompile(`^[+-]?\d{1,3}(\.\d{3})+,\d+$`)
	letters   = regexp.MustCompile(`[\p{L}¥￥$€£\s\x{00a0}]+`)
)

// parseAmount reads an amount with what names its currency.
func parseAmount(s string, decimalComma bool) (v money.Rat, currency money.Currency, ok bool) {
	s = strings.TrimSpace(s)
	if len(s) > 60 {
		return v, "", false
	}
	currency = parseCurrency(s)
	if strings.ContainsAny(s, "0123456789") && !regexpExponent.MatchString(s) {
		s = letters.ReplaceAllString(s, "")
	}
	s = strings.NewReplacer("−", "-", "－", "-", "'", "").Replace(s)
	if strings.HasPrefix(s, "(") && strings.HasSuffix(s, ")") { // book-keepers write so what is below 0
		s = "-" + strings.Trim(s, "()")
	}
	switch {
	case decimalComma && european.MatchString(s):
		s = strings.Replace(strings.ReplaceAll(s, ".", ""), ",", ".", 1)
	case decimalComma && comma.MatchString(s):
		s = strings.Replace(s, ",", ".", 1)
	case thousands.MatchString(s):
		s = strings.ReplaceAll(s, ",", "")
	}
	v, err := money.Parse(s)
	return v, currency, err == nil
}

var regexpExponent = regexp.MustCompile(`^[+-]?[\d.]+[eE][+-]?\d+$`)

var clockForm = regexp.MustCompile(`^(\d{1,5}):([0-5]\d)(?::([0-5]\d))?$`)

var partForm = regexp.MustCompile(`(\d+(?:\.\d+)?)\s*(\p{L}+)`)

// unitSeconds are how many seconds a unit has; 0 for what is no time.
func unitSeconds(u string) int64 {
	switch strings.ToLower(strings.TrimSpace(u)) {
	case "s", "sec", "secs", "second", "seconds", "秒":
		return 1
	case "m", "min", "mins", "minute", "minutes", "分", "分钟":
		return 60
	case "h", "hr", "hrs", "hour", "hours", "时", "小时", "个小时":
		return 3600
	case "d", "day", "days", "天", "日":
		return 86400
	}
	return 0
}

// parseSeconds reads a duration; unit is that of a plain number. known is false
// of one that is no time.
func parseSeconds(s, unit string, decimalComma bool) (n int64, known, ok bool) {
	s = strings.TrimSpace(strings.ReplaceAll(s, "\u00a0", " "))
	if m := clockForm.FindStringSubmatch(s); m != nil {
		h, _ := strconv.ParseInt(m[1], 10, 64) // digits by the pattern
		mi, _ := strconv.ParseInt(m[2], 10, 64)
		se, _ := strconv.ParseInt(m[3], 10, 64)
		return h*3600 + mi*60 + se, true, true
	}
	if v, _, fine := parseAmount(s, decimalComma); fine && !strings.ContainsFunc(s, func(r rune) bool { return r > 127 || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' }) {
		times := unitSeconds(unit)
		if times == 0 {
			return 0, false, v.Sign() >= 0
		}
		return wholeSeconds(v.Mul(money.Int(times)))
	}
	sum, rest := money.Rat{}, s
	for _, m := range partForm.FindAllStringSubmatch(s, 8) {
		times := unitSeconds(m[2])
		v, err := money.Parse(m[1])
		if err != nil {
			return 0, false, false
		}
		if times == 0 {
			return 0, false, true // GB, 次
		}
		sum, rest = sum.Add(v.Mul(money.Int(times))), strings.Replace(rest, m[0], "", 1)
	}
	if strings.Trim(rest, " ,，") != "" || rest == s {
		return 0, false, false
	}
	return wholeSeconds(sum)
}

func wholeSeconds(v money.Rat) (int64, bool, bool) {
	n, fits := v.Round(0, money.HalfUp).Int64()
	return n, true, fits && n >= 0 && n < 1e10
}
