// Package when reads what owners write about times: "tomorrow at 9", "every second Friday", "in 20 minutes", "am 3. um 14 Uhr",
// in English and German, in a zone and from a given moment. A phrase that comes again becomes an interval or cron fields. What can
// mean two things, or lacks a day, is asked back; a word that it does not know is an error, never left out.
//
// A phrase is read piece by piece: each rule takes out what it understands, and what is left at the end may only be small words.
//
// Change here: words and forms of phrases, what is asked back. Not here: what specs mean (agentd/schedule/due).
// May import: agentd/lazyre, agentd/schedule/due, agentd/wire. Used by: agentd/schedule, cmd/agentd. Proof: go test ./agentd/schedule/when
package when
