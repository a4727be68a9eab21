package jobs

import (
	"context"
	"fmt"
	"log/slog"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/riverqueue/river"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"

	"gatehouse/app/work"
)

// Queue puts follow-up work into River in the transaction of the change that asks for it. It is db.Enqueuer.
type Queue struct{ client *river.Client[pgx.Tx] }

// NewQueue makes a Queue that only asks for work; NewWorkers does it.
func NewQueue(pool *pgxpool.Pool, log *slog.Logger) (*Queue, error) {
	client, err := river.NewClient(riverpgxv5.New(pool), &river.Config{
		FetchCooldown: fetchCooldown, FetchPollInterval: fetchPoll, Logger: warnings(log),
	})
	if err != nil {
		return nil, fmt.Errorf("queue: %w", err)
	}
	return &Queue{client: client}, nil
}

// EnqueueTx queues items in tx. Work that is queued already, by its arguments, is not queued again.
func (q *Queue) EnqueueTx(ctx context.Context, tx pgx.Tx, items []work.Item) error {
	if len(items) == 0 {
		return nil
	}
	params := make([]river.InsertManyParams, len(items))
	for i, item := range items {
		args, err := argsOf(item)
		if err != nil {
			return err
		}
		params[i] = river.InsertManyParams{Args: args}
	}
	if _, err := q.client.InsertManyTx(ctx, tx, params); err != nil {
		return fmt.Errorf("queue %s: %w", items[0].WorkKind(), err)
	}
	return nil
}

// argsOf is how each kind of work stands in the queue.
func argsOf(item work.Item) (river.JobArgs, error) {
	switch w := item.(type) {
	case work.AdvanceOrder:
		return AdvanceOrderArgs{OrderID: w.OrderID, Step: w.Step, Attempt: w.Attempt}, nil
	case work.SendMail:
		return SendMailArgs{Template: w.Template, UserID: w.UserID, Ref: w.Ref}, nil
	case work.MailApprovals:
		return MailApprovalsArgs{Mail: w.Mail, UserID: w.UserID}, nil
	case work.RefreshTeam:
		return RefreshTeamArgs{CustomerID: w.CustomerID, UserID: w.UserID}, nil
	case work.TellDevice:
		return TellDeviceArgs{DeviceID: w.DeviceID}, nil
	case work.FinishRegain:
		return FinishRegainArgs{CaseID: w.CaseID}, nil
	case work.RunCommand:
		return RunCommandArgs{CommandID: w.CommandID}, nil
	case work.RunMachineAct:
		return RunMachineActArgs{ActID: w.ActID}, nil
	case work.LookAtMachine:
		return LookAtMachineArgs{ServerID: w.ServerID}, nil
	case work.DropSnapshots:
		return DropSnapshotsArgs{CustomerID: w.CustomerID}, nil
	case work.CloseAccount:
		return CloseAccountArgs{CustomerID: w.CustomerID}, nil
	case work.ReadEvent:
		return ReadEventArgs{EventID: w.EventID}, nil
	case work.GiveBack:
		return GiveBackArgs{RefundID: w.RefundID}, nil
	case work.RefundOrder:
		return RefundOrderArgs{OrderID: w.OrderID}, nil
	case work.CollectInvoice:
		return CollectInvoiceArgs{InvoiceID: w.InvoiceID}, nil
	case work.BeginMonth:
		return BeginMonthArgs{CustomerID: w.CustomerID}, nil
	case work.RefundCredit:
		return RefundCreditArgs{CreditID: w.CreditID}, nil
	case work.TellSupport:
		return TellSupportArgs{DeviceID: w.DeviceID, Window: w.Window}, nil
	case work.TellPool:
		return TellPoolArgs{DeviceID: w.DeviceID, Percent: w.Percent}, nil
	case work.TestDevice:
		return TestDeviceArgs{DeviceID: w.DeviceID}, nil
	}
	return nil, fmt.Errorf("nothing does work of kind %q", item.WorkKind())
}
