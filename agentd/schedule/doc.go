// Package schedule has the team do things at times of their own: once, at an interval, by cron fields, reminders and monitors. Each tick
// gets one verdict, as a row and a receipt, in the one transaction that also starts its run and moves the schedule to its next
// tick. A process that is killed before that transaction finds the tick again; one that is killed after it finds the run.
//
// A schedule keeps the level and the content from outside that stood behind its making: its runs stand no higher, and are asked
// about like the run that made it. Nothing lowers either.
//
// A monitor looks at a number that a tool gives, through the gate and without a model, and says once when its condition begins to hold.
//
// Change here: verdicts, catching up, retries, what pages and tools can do with schedules. Not here: when something is due
// (agentd/schedule/due), phrases (agentd/schedule/when), the way of results to an address (agentd/schedule/webhook), how runs work
// (agentd/runtime).
// May import: agentd/failpoint, agentd/policy, agentd/receipt, agentd/redact, agentd/rpc, agentd/schedule/due, agentd/schedule/figure,
// agentd/schedule/webhook, agentd/schedule/when, agentd/store, agentd/wire, google/uuid. Used by: agentd, cmd/bench.
// If you change a table, add a migration in agentd/store/migrations. Proof: go test ./agentd/schedule/...
package schedule
