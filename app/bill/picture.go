package bill

import "rentgen/app/money"

var thousand = money.Int(1000)

// PerImageIn describes images that are made in some starts of a machine.
type PerImageIn struct {
	Currency     money.Currency `json:"currency"`
	SPerImage    money.Rat      `json:"s_per_image"`
	PricePerHour money.Rat      `json:"price_per_hour"`
	Images       int64          `json:"images"`
	Starts       int64          `json:"starts"`    // how often the machine starts
	StartupS     int64          `json:"startup_s"` // each
	Round        Round          `json:"round"`
}

// PerImageOut is what an image costs. With start-up all but Amount is nil at 0
// images.
type PerImageOut struct {
	Amount             money.Rat  `json:"amount"`
	PerImage           *money.Rat `json:"per_image"`
	Per1000            *money.Rat `json:"per_1000"`
	Per1000Rounded     *money.Rat `json:"per_1000_rounded"`
	PurePer1000        money.Rat  `json:"pure_per_1000"` // without start-up
	PurePer1000Rounded money.Rat  `json:"pure_per_1000_rounded"`
	StartupMarkup      *money.Rat `json:"startup_markup"` // Per1000 / PurePer1000 - 1
}

// PerImage is (starts * start-up + images * seconds) * price / images
// (formula 18).
func PerImage(in PerImageIn) (PerImageOut, error) {
	var c checker
	c.number(throughput, "s_per_image", in.SPerImage)
	c.price("price_per_hour", in.PricePerHour)
	c.count("images", in.Images)
	c.count("starts", in.Starts)
	c.seconds("startup_s", in.StartupS)
	c.round(in.Round)
	if c.err != nil {
		return PerImageOut{}, c.err
	}
	images := money.Int(in.Images)
	s := images.Mul(in.SPerImage).Add(money.Int(in.Starts).Mul(money.Int(in.StartupS)))
	out := PerImageOut{Amount: priced(in.PricePerHour, s), PurePer1000: priced(in.PricePerHour, in.SPerImage.Mul(thousand))}
	out.PurePer1000Rounded = in.Round.one(out.PurePer1000)
	out.PerImage = ratio(out.Amount, images)
	if out.PerImage == nil {
		return out, nil
	}
	per := out.PerImage.Mul(thousand)
	rounded := in.Round.one(per)
	out.Per1000, out.Per1000Rounded = &per, &rounded
	if q := ratio(per, out.PurePer1000); q != nil {
		markup := q.Sub(one)
		out.StartupMarkup = &markup
	}
	return out, nil
}

// ComparedCard is a card with its speed and price.
type ComparedCard struct {
	Name         string    `json:"name"`
	SPerImage    money.Rat `json:"s_per_image"`
	PricePerHour money.Rat `json:"price_per_hour"`
}

// CompareCardsIn holds two cards.
type CompareCardsIn struct {
	Currency money.Currency `json:"currency"`
	Cards    []ComparedCard `json:"cards"`
}

// CardCost is what 1000 images cost on a card.
type CardCost struct {
	Name    string    `json:"name"`
	Per1000 money.Rat `json:"per_1000"`
}

// CompareCardsOut compares them.
type CompareCardsOut struct {
	Results  []CardCost `json:"results"`
	Cheapest []string   `json:"cheapest"` // names, in the order given
	// PriceRatioAtParity is the price of the second by the price of the first at
	// equal cost an image.
	PriceRatioAtParity money.Rat `json:"price_ratio_at_parity"`
}

// CompareCards compares two cards by the cost of an image, not of an hour
// (formula 18).
func CompareCards(in CompareCardsIn) (CompareCardsOut, error) {
	var c checker
	c.between("cards", int64(len(in.Cards)), 2, 2)
	for i, card := range in.Cards {
		c.number(throughput, at("cards", i)+".s_per_image", card.SPerImage)
		c.price(at("cards", i)+".price_per_hour", card.PricePerHour)
	}
	if c.err != nil {
		return CompareCardsOut{}, c.err
	}
	var out CompareCardsOut
	var sides []side
	for _, card := range in.Cards {
		cost := priced(card.PricePerHour, card.SPerImage.Mul(thousand))
		out.Results = append(out.Results, CardCost{card.Name, cost})
		sides = append(sides, side{card.Name, cost})
	}
	out.Cheapest = cheapest(sides...)
	out.PriceRatioAtParity = in.Cards[0].SPerImage.Quo(in.Cards[1].SPerImage)
	return out, nil
}

// UtilisationBreakevenIn compares pay by the busy second with a whole hour.
type UtilisationBreakevenIn struct {
	Currency           money.Currency `json:"currency"`
	PricePerBusySecond money.Rat      `json:"price_per_busy_second"`
	PricePerHour       money.Rat      `json:"price_per_hour"` // dedicated
	Utilisation        money.Rat      `json:"utilisation"`    // 0 to 1
}

// UtilisationBreakevenOut is from how busy on the hour pays.
type UtilisationBreakevenOut struct {
	BreakevenUtilisation   *money.Rat `json:"breakeven_utilisation"` // nil if busy seconds are free
	PerSecondAmountPerHour money.Rat  `json:"per_second_amount_per_hour"`
	Cheapest               []string   `json:"cheapest"` // PerSecond, DedicatedHour
}

// UtilisationBreakeven is price an hour / (3600 * price a busy second)
// (formula 18).
func UtilisationBreakeven(in UtilisationBreakevenIn) (UtilisationBreakevenOut, error) {
	var c checker
	c.price("price_per_busy_second", in.PricePerBusySecond)
	c.price("price_per_hour", in.PricePerHour)
	c.share("utilisation", in.Utilisation)
	if c.err != nil {
		return UtilisationBreakevenOut{}, c.err
	}
	busy := in.PricePerBusySecond.Mul(hour)
	amount := busy.Mul(in.Utilisation)
	return UtilisationBreakevenOut{
		BreakevenUtilisation: ratio(in.PricePerHour, busy), PerSecondAmountPerHour: amount,
		Cheapest: cheapest(side{PerSecond, amount}, side{DedicatedHour, in.PricePerHour}),
	}, nil
}
