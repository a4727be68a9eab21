// Package tune is how a part of the hub reads a value that our staff may change while it runs.
//
// Change here: how such a value is read. Not here: which there are (app/setting), what each is read for (its readers), which part reads
// which (cmd/hub, settings.go).
// May import: the standard library. Used by: app, db, jobs. Proof: go test ./cmd/hub -run TestSettings
package tune
