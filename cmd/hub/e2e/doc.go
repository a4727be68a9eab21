// Package e2e is the rig on which tests drive the shipped programs as a person would: `hub dev` as a process of its own with a
// real Postgres and a real agentd, pages in a real Chromium, outside effects looked up where they happen. The tests are in the
// folders below, by theme.
//
// Change here: how a test starts hubs, reads pages and runs, scripts a model, finds planted values. Not here: what is tested
// (the themes below), how the programs are built, started and killed (cmd/hub/rig).
// May import: agentd/leakscan, agentd/wire, app/web/api/apitest, cmd/hub/devmail, cmd/hub/rig, db/dbtest, db/devpg,
// views/browsertest. Used by: tests only. Proof: go test ./cmd/hub/e2e/...
package e2e
