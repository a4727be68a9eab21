// Package due says when a schedule is due: once, at an interval, or by five cron fields, in a time zone. It is arithmetic on
// times that are handed in; nothing here reads a clock or a disk.
//
// A local time that does not exist, because clocks went forward, is due right after the gap. One that exists twice is due the
// first time. Cron fields are matched on local time as if it had no changes of the clock, and only then placed in the zone, so
// that no library decides about those nights.
//
// Change here: what specs mean, which ticks there are, how retries and the spread are spaced, quiet hours. Not here: phrases
// (agentd/schedule/when), what becomes of a tick (agentd/schedule).
// May import: agentd/lazyre, agentd/wire, adhocore/gronx. Used by: agentd/schedule, agentd/schedule/when, cmd/agentd, cmd/bench.
// Proof: go test ./agentd/schedule/due
package due
