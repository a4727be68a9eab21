package inbox

import (
	"context"
	"time"

	"gatehouse/agentd/wire"
	"gatehouse/app/approval"
	"gatehouse/app/web/inbox/card"
)

// fillWait is how long a card waits for its contents; without them it shows what the hub knows.
const fillWait = time.Second

// Filled gives a decided approval back what the hub erased, if the customer's server can be asked.
func Filled(ctx context.Context, from Contents, it approval.Item) approval.Item {
	if it.State == wire.ApprovalPending {
		return it
	}
	ctx, cancel := context.WithTimeout(ctx, fillWait)
	defer cancel()
	if known, err := from.Approval(ctx, it.CustomerID, it.ID); err == nil {
		it.Approval = card.WithContents(it.Approval, known)
	}
	return it
}
