// Package push tells the devices of a customer's people that requests wait: how many and for which business, never what
// they ask. What a device shows is compared with what waits, so that a decided request is closed wherever it was decided.
//
// Change here: what a device is told and when, quiet hours, which addresses of push services are taken. Not here: the
// protocol (app/provider/webpush), SQL (db/push_devices.go), how often a message is tried (jobs/tell_device.go), what the
// browser does with it (static/js/worker.js).
// May import: app/account, app/audit, app/fault, app/tune. Used by: app/provider/webpush, app/web/portal, cmd/hub,
// db, jobs. Proof: go test ./app/push ./db ./jobs
package push
