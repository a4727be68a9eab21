// Package apitest holds answers of the API, and the events of a run, against the description that the hub gives of them.
//
// Change here: how an answer is compared. Not here: what is described (app/web/api/openapi.yaml).
// May import: nothing of ours. Used by: tests only. Proof: go test ./app/web/api/... ./cmd/hub ./cmd/hub/e2e/...
package apitest
