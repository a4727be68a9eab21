// Package openaiorg asks the administration API of an organization at OpenAI: a service account with a key of its own for each server,
// and what each key used by the hour.
//
// Change here: what is asked and how answers are read. Not here: when a key is made, what counts as a difference (app/modelkey).
// May import: app/modelkey, app/tune. Used by: cmd/hub. Proof: go test ./app/provider/openaiorg
package openaiorg
