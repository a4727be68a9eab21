// Package pushtest is a push service and the browsers that use it, for tests. It reads RFC 8030, 8291 and 8292 by itself and
// shares no code with what sends: who signed, for whom, and what only the browser's keys open.
//
// Change here: what the service answers and checks. Not here: what is sent (app/push, app/provider/webpush).
// May import: the standard library. Used by: tests only. Proof: go test ./app/provider/webpush
package pushtest
