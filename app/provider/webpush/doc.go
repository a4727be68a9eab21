// Package webpush hands messages to the push services of browsers: RFC 8030, sealed by RFC 8291 and signed by RFC 8292.
//
// Change here: how a message is handed over, which networks are never reached. Not here: what messages say and when they
// are sent (app/push), how often one is tried (jobs/tell_device.go).
// May import: app/push, webpush-go. Used by: cmd/hub. Proof: go test ./app/provider/webpush
package webpush
