package db

import (
	"context"
	"errors"

	"gatehouse/app/account"
	"gatehouse/app/payment"
	"gatehouse/app/pricing"
)

// onSheet is how many of each stand on a sheet.
const onSheet = 50

// Sheet lists what was paid by a customer, the newest first.
func (s *Payments) Sheet(ctx context.Context, of account.CustomerID) (payment.Sheet, error) {
	out := payment.Sheet{Left: map[payment.ID]pricing.Cents{}}
	var paid []struct {
		paymentRow `bun:",extend"`
		Left       int64 `bun:"left_over,scanonly"`
	}
	var back []refundRow
	var disputed []disputeRow
	var events []stripeEventRow
	const theirs = "rf.payment_id IN (SELECT id FROM payments WHERE customer_id = ?)"
	read := s.DB.bun(ctx)
	err := errors.Join(
		read.NewSelect().Model(&paid).ColumnExpr("p.*").ColumnExpr(left+" AS left_over").Where("p.customer_id = ?", of).
			Order("p.id DESC").Limit(onSheet).Scan(ctx),
		read.NewSelect().Model(&back).Where(theirs, of).Order("rf.id DESC").Limit(onSheet).Scan(ctx),
		read.NewSelect().Model(&disputed).Where("dp.payment_id IN (SELECT id FROM payments WHERE customer_id = ?)", of).
			Order("dp.opened_at DESC").Limit(onSheet).Scan(ctx),
		read.NewSelect().Model(&events).ExcludeColumn("raw").
			Where("se.payer = (SELECT provider_id FROM payers WHERE customer_id = ?) OR se.intent IN "+
				"(SELECT intent FROM payments WHERE customer_id = ?)", of, of).
			Order("se.received_at DESC", "se.id DESC").Limit(onSheet).Scan(ctx),
	)
	if err != nil {
		return out, toFault(err)
	}
	for _, r := range paid {
		p := r.payment()
		out.Payments, out.Left[p.ID] = append(out.Payments, p), pricing.Cents(r.Left)
	}
	out.Refunds = each(back, refundRow.refund)
	out.Disputes = each(disputed, disputeRow.dispute)
	out.Events = each(events, stripeEventRow.event)
	return out, nil
}

func (r disputeRow) dispute() payment.Dispute {
	return payment.Dispute{
		ID: r.ID, PaymentID: payment.ID(r.PaymentID), Amount: pricing.Cents(r.Amount), Reason: r.Reason, State: r.State,
		DueAt: r.DueAt, OpenedAt: r.OpenedAt, SeenAt: r.SeenAt,
	}
}
