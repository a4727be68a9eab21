package order

import (
	"context"
	"fmt"
	"time"

	"gatehouse/app/staff"
)

// Promise is how long an order may take before its customer is told that it takes longer, as long as our staff set no other time. A
// set-up takes minutes; the rest is for a provider that is slow and a step that is tried again.
const Promise = 30 * time.Minute

// promised is how long an order may take before it is late.
func (s *Service) promised() time.Duration {
	if s.Promised == nil {
		return Promise
	}
	return s.Promised()
}

// Late says whether an order takes longer than was promised.
func (s *Service) Late(o Order) bool {
	return o.Step().OnPath() && o.Standing == Main && s.Now().Sub(o.CreatedAt) > s.promised()
}

// Alert is an order that needs one of our staff.
type Alert struct {
	Order
	Late bool // it takes longer than was promised; else it failed
}

// Alerts lists the orders that need one of our staff, those first that wait longest, at most limit: it failed, or it takes longer
// than was promised. total counts all of them.
func (s *Service) Alerts(ctx context.Context, limit int) (alerts []Alert, total int, err error) {
	now := s.Now().UTC()
	orders, total, err := s.Store.Alerts(ctx, now.Add(-s.promised()), limit)
	if err != nil {
		return nil, 0, fmt.Errorf("orders that need somebody: %w", err)
	}
	for _, o := range orders {
		alerts = append(alerts, Alert{Order: o, Late: o.State != Failed})
	}
	return alerts, total, nil
}

// TellLate tells each customer once whose order takes longer than was promised. It says how many.
func (s *Service) TellLate(ctx context.Context) (told int, err error) {
	if !s.Rules.TellLate.Or(true) {
		return 0, nil
	}
	now := s.Now().UTC()
	return s.Store.TellLate(ctx, now, now.Add(-s.promised()))
}

// TellStaff mails those of our staff who may do something about it of each order that needs somebody, once for each failure and
// once when it is late. It says of how many orders.
func (s *Service) TellStaff(ctx context.Context) (told int, err error) {
	if !s.Rules.TellStaff.Or(true) {
		return 0, nil
	}
	var roles []string
	for _, r := range staff.With(staff.OrdersAct) {
		roles = append(roles, string(r))
	}
	return s.Store.TellStaff(ctx, s.Now().UTC().Add(-s.promised()), roles)
}
