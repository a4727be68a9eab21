package order

import (
	"context"
	"fmt"
	"strconv"

	"gatehouse/app/account"
	"gatehouse/app/audit"
	"gatehouse/app/staff"
)

// destroying are the acts that nobody can take back, as the record calls them.
var destroying = map[string]string{
	"end": staff.EndOrder, "replace": staff.ReplaceOrder, "stop": staff.StopOrder, "cancel": staff.CancelOrder,
}

// refusals are what each of them answers where it cannot be done.
var refusals = map[string]error{"end": ErrEnd, "replace": ErrReplace, "stop": ErrStop, "cancel": ErrCancel}

// Destroying is an act on an order that needs a mailed code, as the mail names it. Others have no name there.
func Destroying(o Order, act string) staff.Destroying {
	name := strconv.FormatInt(o.Number, 10)
	if o.CustomerName != "" {
		name += " (" + o.CustomerName + ")"
	}
	return staff.Destroying{Action: destroying[act], Object: string(o.ID), Name: name}
}

// confirm refuses one of our staff an act that nobody can take back and that lacks its code. What cannot be done now uses up no
// code, and is refused here: the order may get on before the act is tried, which then would be done without one.
func (s *Service) confirm(ctx context.Context, of account.CustomerID, id ID, act string, by audit.Actor) error {
	if by.Kind != audit.Staff {
		return nil
	}
	if err := staff.Require(by, staff.OrdersAct); err != nil {
		return err
	}
	o, err := s.Store.Find(ctx, id)
	if err != nil {
		return fmt.Errorf("%s order: %w", act, err)
	}
	if o.CustomerID != of {
		return nil // no such order of that customer, which does not change: it is refused where it is tried
	}
	if !o.Can(act) {
		return refusals[act]
	}
	return staff.Confirm(ctx, s.Codes, by, Destroying(o, act))
}
