package billing

import (
	"context"
	"time"

	"gatehouse/app/account"
	"gatehouse/app/page"
)

// Founder is a customer that is a founding member.
type Founder struct {
	CustomerID  account.CustomerID
	Customer    string // name of the business
	Multiplier  int64  // of the pool of months that begin meanwhile
	From, Until time.Time
}

// Founders is a page of the customers that are founding members now, those who ordered last first: staff only.
func (s *Service) Founders(ctx context.Context, ask page.Ask) (of page.Of[Founder], err error) {
	if ask, err = ask.Clean(); err != nil {
		return of, err
	}
	return s.Store.Founders(ctx, s.now(), ask)
}
