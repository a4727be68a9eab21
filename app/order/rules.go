package order

import (
	"context"
	"fmt"
	"time"

	"gatehouse/app/pricing"
	"gatehouse/app/tune"
)

// Rules are what our staff may change about orders while the hub runs. The zero value has everything as it comes.
type Rules struct {
	Open      tune.Value[bool]           // newcomers and customers may order
	PerDay    tune.Value[int]            // orders that are taken in 24 hours; 0: any number
	Mode      tune.Value[string]         // of new orders
	TellLate  tune.Value[bool]           // customers are mailed when their order is late
	TellStaff tune.Value[bool]           // our staff are mailed about orders that need somebody
	Closed    tune.Value[time.Duration]  // grace of an order whose customer left
	Refunded  tune.Value[time.Duration]  // grace of an order that was refunded
	Unpaid    tune.Value[time.Duration]  // grace of an order that was not paid
	Lines     tune.Value[time.Duration]  // how long lines of logs are kept
	Places    tune.Value[[]string]       // where servers can be set up
	Plans     tune.Value[[]pricing.Plan] // as they are sold now
}

// Plans lists the plans as they are sold now, cheapest first.
func (s *Service) Plans() []pricing.Plan { return s.Rules.Plans.Or(pricing.Plans()) }

// grace is how long the server of an order is kept that ends for this reason.
func (s *Service) grace(why EndReason) time.Duration {
	switch why {
	case Closed:
		return s.Rules.Closed.Or(grace[why])
	case Refunded:
		return s.Rules.Refunded.Or(grace[why])
	case Unpaid:
		return s.Rules.Unpaid.Or(grace[why])
	}
	return grace[why]
}

// taken says whether another order is taken now. Two that come at the same moment may both be the last one of a day.
func (s *Service) taken(ctx context.Context) error {
	if !s.Rules.Open.Or(true) {
		return ErrClosed
	}
	most := s.Rules.PerDay.Or(0)
	if most == 0 {
		return nil
	}
	n, err := s.Store.PlacedSince(ctx, s.Now().UTC().Add(-day), most)
	if err != nil {
		return fmt.Errorf("count orders of a day: %w", err)
	}
	if n >= most {
		return ErrFullDay
	}
	return nil
}
