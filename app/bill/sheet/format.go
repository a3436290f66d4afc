package sheet

import (
	"strings"

	"rentgen/app/money"
	"rentgen/assets/texts"
)

// Money says an amount with its sign and the currency's minor digits:
// "¥1,180.00", "−US$0.52".
func Money(_ *texts.Catalogue, v money.Rat, c money.Currency) string {
	return signed(v, c, c.Scale())
}

func signed(v money.Rat, c money.Currency, scale int) string {
	s := v.Fixed(scale)
	minus := ""
	if rest, negative := strings.CutPrefix(s, "-"); negative {
		s = rest
		if strings.Trim(s, "0.") != "" {
			minus = "−"
		}
	}
	return minus + c.Sign() + grouped(s)
}

// grouped separates the thousands of a plain decimal.
func grouped(s string) string {
	whole, frac, has := strings.Cut(s, ".")
	var b strings.Builder
	for i, d := range whole {
		if i > 0 && (len(whole)-i)%3 == 0 {
			b.WriteByte(',')
		}
		b.WriteRune(d)
	}
	if has {
		b.WriteByte('.')
		b.WriteString(frac)
	}
	return b.String()
}

// MoneyBand says an amount with its doubt: "¥57.86 to 71.56". Ends that round
// alike are said once.
func MoneyBand(c *texts.Catalogue, b money.Band, cur money.Currency) string {
	l, h := signed(b.Low, cur, cur.Scale()), signed(b.High, cur, cur.Scale())
	if l == h {
		return h
	}
	if b.Low.Sign() >= 0 {
		h = strings.TrimPrefix(h, cur.Sign())
	}
	return c.T("format.band", "low", l, "high", h)
}

// Price says a price with as many digits as it has, at least the currency's:
// prices by the GB and day have more than amounts.
func Price(_ *texts.Catalogue, v money.Rat, c money.Currency) string {
	scale := c.Scale()
	for scale < 8 && v.Round(scale, money.HalfUp).Cmp(v.Round(8, money.HalfUp)) != 0 {
		scale++
	}
	return signed(v, c, scale)
}

// plain says a number with at most the given decimals, without idle zeros.
func plain(v money.Rat, decimals int) string {
	s := v.Fixed(decimals)
	if strings.Contains(s, ".") {
		s = strings.TrimRight(strings.TrimRight(s, "0"), ".")
	}
	if rest, negative := strings.CutPrefix(s, "-"); negative {
		return "−" + grouped(rest)
	}
	return grouped(s)
}

// tidyRat keeps about three digits.
func tidyRat(v money.Rat) string {
	switch a := v.Max(v.Neg()); {
	case a.Cmp(money.Int(100)) >= 0:
		return plain(v, 0)
	case a.Cmp(money.Int(10)) >= 0:
		return plain(v, 1)
	}
	return plain(v, 2)
}

// inWords is a number that is written in the language of then.
type inWords = func(*texts.Catalogue) string

// hoursText says a duration given in hours, short ones in minutes or seconds.
func hoursText(h money.Rat) inWords {
	n, unit := tidyRat(h), "h"
	if s := h.Mul(hour); h.Sign() > 0 && h.Less(one) {
		n, unit = tidyRat(s.Quo(money.Int(60))), "min"
		if s.Less(money.Int(60)) {
			n, unit = tidyRat(s), "s"
		}
	}
	return func(c *texts.Catalogue) string { return texts.WithUnit(n, texts.Unit(c, unit)) }
}

func gbText(gb money.Rat) string { return texts.WithUnit(tidyRat(gb), "GB") }

func percentText(share money.Rat) string {
	return texts.WithUnit(tidyRat(share.Mul(money.Int(100))), "%")
}
