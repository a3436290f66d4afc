package meter

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"rentgen/app/money"
	"rentgen/app/purse"
)

// Budget is the limit of a month that was said for a host, in a currency; ok is
// false where nobody has said one for it alone.
func (b *Book) Budget(host string, c money.Currency) (limit money.Rat, ok bool) {
	b.mu.RLock()
	defer b.mu.RUnlock()
	for _, e := range b.budgets {
		var is Budget
		if e.Host == host && strings.EqualFold(e.Key, string(c)) && json.Unmarshal(e.Body, &is) == nil && is.Limit.Sign() > 0 {
			return is.Limit, true
		}
	}
	return money.Rat{}, false
}

// SetBudget keeps what a host may cost a month, in a currency; nil takes the
// limit away. A host without its own has that of all hosts, which is that of "".
// A limit that isn't above 0 is refused.
func (b *Book) SetBudget(ctx context.Context, host string, c money.Currency, limit *money.Rat) error {
	if !c.Valid() || limit != nil && limit.Sign() <= 0 {
		return fmt.Errorf("a budget of %v %q", limit, c)
	}
	b.saving.Lock()
	defer b.saving.Unlock()
	b.mu.Lock()
	var rest []purse.Entry
	key := string(c)
	for _, e := range b.budgets {
		if e.Host == host && strings.EqualFold(e.Key, key) {
			key = e.Key // as it stands in the store
		} else {
			rest = append(rest, e)
		}
	}
	b.mu.Unlock()
	var err error
	if limit == nil {
		if b.p.Store != nil {
			err = b.p.Store.DeletePurseEntries(ctx, host, purse.KindBudget, key)
		}
	} else {
		e := purse.Entry{Host: host, Kind: purse.KindBudget, Key: key, Time: b.p.Now()}
		if e.Body, err = json.Marshal(Budget{Limit: *limit}); err == nil && b.p.Store != nil {
			err = b.p.Store.SavePurseEntries(ctx, e)
		}
		rest = append(rest, e)
	}
	if err != nil {
		return fmt.Errorf("keep the budget of a host: %w", err)
	}
	b.mu.Lock()
	b.budgets = rest
	b.mu.Unlock()
	for _, m := range b.all() {
		m.spend(rest)
	}
	return nil
}
