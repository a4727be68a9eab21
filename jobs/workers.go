package jobs

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/riverqueue/river"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"

	"gatehouse/app/order"
	"gatehouse/app/server"
	"gatehouse/app/tune"
)

// Deps is what the workers work with.
type Deps struct {
	Orders        *order.Service
	Servers       *server.Service
	Steps         Steps
	Setups        Setups
	People        People
	Team          Team
	Letters       Letters
	Addresses     Addresses
	Write         Writer
	Reminders     Reminders
	WriteReminder ReminderWriter
	Mailer        Mailer
	Devices       Devices
	History       History
	Commands      Commands
	Machines      Machines
	Regain        Regain
	Payments      Payments
	Collector     Collector
	Months        Months
	Accounts      Accounts
	Usage         Usage
	ProviderUsage ProviderUsage // nil: no model provider is asked
	Refunder      Refunder
	Chores        []Chore
	Pauses        tune.Value[[3]time.Duration] // before the tries of a step; as it comes 1, 5 and 15 minutes
	Log           *slog.Logger
	Now           func() time.Time
	Dir           string // where the worker keeps its name, so that its successor finds what it left; empty: nowhere
}

// Workers does the queued work of this process.
type Workers struct {
	client *river.Client[pgx.Tx]
	pool   *pgxpool.Pool
	name   *name
	log    *slog.Logger
}

// NewWorkers makes workers for every kind of work; Start starts them.
func NewWorkers(pool *pgxpool.Pool, d Deps) (*Workers, error) {
	all := river.NewWorkers()
	for _, err := range []error{
		river.AddWorkerSafely(all, &AdvanceOrderWorker{Orders: d.Orders, Steps: d.Steps, Log: d.Log, Now: d.Now, Pauses: d.Pauses}),
		river.AddWorkerSafely(all, &SendMailWorker{Letters: d.Letters, Write: d.Write, Mailer: d.Mailer, Addresses: d.Addresses}),
		river.AddWorkerSafely(all, &MailApprovalsWorker{
			Reminders: d.Reminders, Write: d.WriteReminder, Mailer: d.Mailer, Addresses: d.Addresses,
		}),
		river.AddWorkerSafely(all, &RefreshTeamWorker{People: d.People, Team: d.Team}),
		river.AddWorkerSafely(all, &TellDeviceWorker{Devices: d.Devices}),
		river.AddWorkerSafely(all, &TellPoolWorker{Devices: d.Devices}),
		river.AddWorkerSafely(all, &TellSupportWorker{Devices: d.Devices}),
		river.AddWorkerSafely(all, &TestDeviceWorker{Devices: d.Devices}),
		river.AddWorkerSafely(all, &WatchServersWorker{Servers: d.Servers, Log: d.Log}),
		river.AddWorkerSafely(all, &WatchOrdersWorker{Orders: d.Orders, Setups: d.Setups, Log: d.Log, Now: d.Now}),
		river.AddWorkerSafely(all, &FinishRegainWorker{Regain: d.Regain}),
		river.AddWorkerSafely(all, &RunCommandWorker{Commands: d.Commands}),
		river.AddWorkerSafely(all, &RunMachineActWorker{Machines: d.Machines, Now: d.Now}),
		river.AddWorkerSafely(all, &LookAtMachineWorker{Machines: d.Machines}),
		river.AddWorkerSafely(all, &DropSnapshotsWorker{Machines: d.Machines}),
		river.AddWorkerSafely(all, &ReadEventWorker{Payments: d.Payments, Now: d.Now}),
		river.AddWorkerSafely(all, &GiveBackWorker{Payments: d.Payments, Now: d.Now}),
		river.AddWorkerSafely(all, &RefundOrderWorker{Payments: d.Payments, Now: d.Now}),
		river.AddWorkerSafely(all, &RollHistoryWorker{History: d.History, Log: d.Log, Now: d.Now}),
		river.AddWorkerSafely(all, &CollectInvoiceWorker{Collector: d.Collector}),
		river.AddWorkerSafely(all, &BeginMonthWorker{Months: d.Months}),
		river.AddWorkerSafely(all, &CloseAccountWorker{Accounts: d.Accounts}),
		river.AddWorkerSafely(all, &ReconcileUsageWorker{Usage: d.Usage, Provider: d.ProviderUsage, Log: d.Log}),
		river.AddWorkerSafely(all, &RefundCreditWorker{Refunder: d.Refunder}),
		river.AddWorkerSafely(all, &ChoresWorker{Chores: d.Chores, Log: d.Log}),
	} {
		if err != nil {
			return nil, fmt.Errorf("workers: %w", err)
		}
	}
	n, err := takeName(d.Dir)
	if err != nil {
		return nil, fmt.Errorf("workers: %w", err)
	}
	client, err := river.NewClient(riverpgxv5.New(pool), &river.Config{
		ID: n.id, Workers: all, Queues: queues(), Logger: warnings(d.Log), FetchCooldown: fetchCooldown, FetchPollInterval: fetchPoll,
		JobTimeout: jobTimeout, RescueStuckJobsAfter: rescueAfter, PeriodicJobs: periodic(),
	})
	if err != nil {
		return nil, errors.Join(fmt.Errorf("workers: %w", err), n.giveBack())
	}
	return &Workers{client: client, pool: pool, name: n, log: d.Log}, nil
}

func periodic() []*river.PeriodicJob {
	return []*river.PeriodicJob{
		river.NewPeriodicJob(river.PeriodicInterval(watchEvery),
			func() (river.JobArgs, *river.InsertOpts) { return WatchServersArgs{}, nil }, &river.PeriodicJobOpts{ID: "heartbeat_watch"}),
		river.NewPeriodicJob(river.PeriodicInterval(strandedAfter),
			func() (river.JobArgs, *river.InsertOpts) { return WatchOrdersArgs{}, nil }, &river.PeriodicJobOpts{ID: "order_watch"}),
		river.NewPeriodicJob(river.PeriodicInterval(choresEvery),
			func() (river.JobArgs, *river.InsertOpts) { return ChoresArgs{}, nil }, &river.PeriodicJobOpts{ID: "chores"}),
		river.NewPeriodicJob(river.PeriodicInterval(rollEvery),
			func() (river.JobArgs, *river.InsertOpts) { return RollHistoryArgs{}, nil }, &river.PeriodicJobOpts{ID: "history_roll"}),
		river.NewPeriodicJob(river.PeriodicInterval(reconcileEvery),
			func() (river.JobArgs, *river.InsertOpts) { return ReconcileUsageArgs{}, nil }, &river.PeriodicJobOpts{ID: "reconcile_usage"}),
	}
}

// Start takes up what a killed predecessor left, then works until Stop.
func (w *Workers) Start(ctx context.Context) error {
	n, err := takeUp(ctx, w.pool, w.name.id)
	if err != nil {
		return err
	}
	if n > 0 {
		w.log.InfoContext(ctx, "jobs of a killed worker taken up", "jobs", n)
	}
	if err := w.client.Start(ctx); err != nil {
		return fmt.Errorf("start workers: %w", err)
	}
	return nil
}

// softStop is how long running jobs have to end by themselves before they are told to.
const softStop = 2 * time.Second

// Stop takes no new work, lets running jobs end, then cancels those that do not, and gives the worker's name back.
func (w *Workers) Stop(ctx context.Context) error {
	soft, cancel := context.WithTimeout(ctx, softStop)
	defer cancel()
	err := w.client.Stop(soft)
	if errors.Is(err, context.DeadlineExceeded) {
		err = w.client.StopAndCancel(ctx)
	}
	if err != nil {
		err = fmt.Errorf("stop workers: %w", err)
	}
	return errors.Join(err, w.name.giveBack())
}
