package jobs

import (
	"time"

	"github.com/riverqueue/river"
)

// The queues: each kind of work has its own, so that slow mail never holds up an order. Stored in rows: never rename.
const (
	queueOrders = "orders"
	queueMail   = "mail"
	queueTeam   = "team"
	queueWatch  = "watch"
	queuePush   = "push"

	queueCommands = "commands"
	queueMachines = "machines"
	queuePayments = "payments"
	queueBilling  = "billing"
)

func queues() map[string]river.QueueConfig {
	return map[string]river.QueueConfig{
		queueOrders: {MaxWorkers: 20}, // a step mostly waits for a server
		queueMail:   {MaxWorkers: 10},
		queueTeam:   {MaxWorkers: 5},
		queueWatch:  {MaxWorkers: 2},
		queuePush:   {MaxWorkers: 20}, // mostly waits for a push service

		queueCommands: {MaxWorkers: 10}, // waits for servers
		queueMachines: {MaxWorkers: 5},  // waits for providers, which limit how often they are asked
		queuePayments: {MaxWorkers: 5},  // likewise
		queueBilling:  {MaxWorkers: 5},  // waits for payment providers
	}
}

// How the queue works. A notice of new work wakes the workers; the poll finds what a lost notice left behind.
const (
	fetchCooldown = 5 * time.Millisecond // River's default of 100 ms would be the wait before each job
	fetchPoll     = 500 * time.Millisecond
	jobTimeout    = 90 * time.Second // longer than a server may take to come
	rescueAfter   = 3 * time.Minute  // well after jobTimeout: a job that is still at work is not given to another worker
)
